import { act, screen } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";
import { readServerTime } from "#lib/client/clock.ts";
import { Time } from "./Time.tsx";
import { renderPart, setUpParts } from "./testing/parts.tsx";

setUpParts();
afterEach(() => readServerTime(Date.now()));

const MINUTE = 60_000;
const server = Date.parse("2026-11-22T10:00:00Z");

test.each([
  ["10 minutes slow", -10 * MINUTE],
  ["2 days slow", -2 * 1_440 * MINUTE],
  ["2 days fast", 2 * 1_440 * MINUTE],
])("ages are right on a browser whose clock is %s", async (_, error) => {
  vi.useFakeTimers();
  vi.setSystemTime(server + error);
  readServerTime(server);
  renderPart(
    <>
      <Time time={server - 3 * MINUTE} short />
      <Time time={server} short />
    </>,
  );
  const ages = () => screen.getAllByRole("time").map(({ textContent }) => textContent);
  expect(ages()).toEqual(["3 min ago", "just now"]);
  await act(() => vi.advanceTimersByTimeAsync(2 * MINUTE));
  expect(ages()).toEqual(["5 min ago", "2 min ago"]);
});
