import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { ANNOUNCER_ID, announce, announceProgress } from "./announce.ts";

const said = () => document.getElementById(ANNOUNCER_ID)!.textContent;

beforeEach(() => {
  vi.useFakeTimers();
  document.body.innerHTML = `<p id="${ANNOUNCER_ID}"></p>`;
  vi.advanceTimersByTime(10_000);
});
afterEach(() => vi.useRealTimers());

test("progress is announced every two seconds, with the latest state", () => {
  announceProgress("100 loaded");
  for (const count of [200, 300, 400]) announceProgress(`${count} loaded`);
  expect(said()).toBe("100 loaded");
  vi.advanceTimersByTime(2_000);
  expect(said()).toBe("400 loaded");
});

test("progress leaves time to read what was copied, and never comes after a later message", () => {
  announceProgress("100 loaded");
  announceProgress("200 loaded");
  announce("Copied address", true);
  vi.advanceTimersByTime(10_000);
  expect(said()).toBe("Copied address");
});
