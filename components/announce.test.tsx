import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { ANNOUNCER_ID, announce, announceProgress } from "./announce.ts";

const said = () => document.getElementById(ANNOUNCER_ID)!.textContent;

// Long before the other tests of this process, whose announcements must not wait.
let now = -1_000_000;
function pass(milliseconds: number) {
  now += milliseconds;
  vi.advanceTimersByTime(milliseconds);
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  vi.spyOn(performance, "now").mockImplementation(() => now);
  document.body.innerHTML = `<p id="${ANNOUNCER_ID}"></p>`;
  pass(10_000);
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  document.body.innerHTML = "";
});

test("progress is announced every two seconds, with the latest state", () => {
  announceProgress("100 loaded");
  for (const count of [200, 300, 400]) announceProgress(`${count} loaded`);
  expect(said()).toBe("100 loaded");
  pass(2_000);
  expect(said()).toBe("400 loaded");
});

test("progress leaves two seconds to read what was announced, and is not lost", () => {
  announceProgress("100 loaded");
  announceProgress("200 loaded");
  pass(1_000);
  announce("Copied address", true);
  pass(1_900);
  expect(said()).toBe("Copied address");
  pass(100);
  expect(said()).toBe("200 loaded");
});

test("what is cleared leaves no progress behind", () => {
  announceProgress("100 loaded");
  announceProgress("200 loaded");
  announce("");
  pass(10_000);
  expect(said()).toBe("");
  announceProgress("300 loaded");
  expect(said()).toBe("300 loaded");
});
