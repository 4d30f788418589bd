import { beforeEach, expect, test, vi } from "vitest";

vi.useFakeTimers();
const { ANNOUNCER_ID, announce, announceProgress } = await import("./announce.ts");
const said = () => document.getElementById(ANNOUNCER_ID)!.textContent;

beforeEach(() => {
  document.body.innerHTML = `<p id="${ANNOUNCER_ID}"></p>`;
  vi.advanceTimersByTime(10_000);
});

test("progress is announced every two seconds, with the latest state", () => {
  announceProgress("100 loaded");
  for (const count of [200, 300, 400]) announceProgress(`${count} loaded`);
  expect(said()).toBe("100 loaded");
  vi.advanceTimersByTime(2_000);
  expect(said()).toBe("400 loaded");
});

test("progress leaves two seconds to read what was announced, and is not lost", () => {
  announceProgress("100 loaded");
  announceProgress("200 loaded");
  vi.advanceTimersByTime(1_000);
  announce("Copied address", true);
  vi.advanceTimersByTime(1_900);
  expect(said()).toBe("Copied address");
  vi.advanceTimersByTime(100);
  expect(said()).toBe("200 loaded");
});

test("what is cleared leaves no progress behind", () => {
  announceProgress("100 loaded");
  announceProgress("200 loaded");
  announce("");
  vi.advanceTimersByTime(10_000);
  expect(said()).toBe("");
  announceProgress("300 loaded");
  expect(said()).toBe("300 loaded");
});
