import { screen, within } from "@testing-library/react";
import { beforeEach, expect, test } from "vitest";
import { answerRequests, failing, json, press, renderPart, setUpParts } from "#components/testing/parts.tsx";
import { WatchButton } from "#components/WatchButton.tsx";
import { storedVisits, storedWatches } from "#lib/client/visits.ts";
import { RecentAddresses } from "./RecentAddresses.tsx";

setUpParts();
beforeEach(() => localStorage.clear());

const HASH = `0x${"ab".repeat(32)}`;
const tip = { height: 9, hash: HASH, timestamp: 0 };
const watched = (nth: number, valueUsd: string | null) => ({
  ...{ address: `ckt1${"q".repeat(30)}${nth}`, height: 5, hash: HASH, time: 0, valueUsd },
});
const since = (valueUsd: string | null) => ({
  ...{ isReplaced: false, isMore: false, transactions: 2, created: 3, spent: 1, valueUsd },
});

test("watched addresses show their value now and its change; without a price, how many changes there were", async () => {
  storedWatches.write([watched(1, "10000000000"), watched(2, null)]);
  const { asked } = answerRequests(() => json([since("15000000000"), since(null)]), tip as never);
  renderPart(<RecentAddresses instead="Examples" />);
  expect((await screen.findByText(/\+50\D/)).title).toContain("$100");
  expect(asked).toHaveLength(1);
  expect(asked[0]).toMatch(/^\/visits\?of=.*&value=usd$/);
  const [first, second] = screen.getAllByRole("listitem");
  expect(first!.textContent).toContain("$150.00");
  expect(second!.textContent).not.toContain("$");
  const changes = within(second!).getByRole("link", { name: "+3 −1 cells" });
  expect(changes.getAttribute("href")).toBe(
    `/addresses/${watched(2, null).address}?tab=statement&since=${HASH}`,
  );
  expect(screen.queryByText("Examples")).toBeNull();
});

test("an address that held nothing shows that it got a value, and one that holds nothing shows none", async () => {
  storedWatches.write([watched(1, "0"), watched(2, "0")]);
  answerRequests(() => json([since("50000000000"), since("0")]), tip as never);
  renderPart(<RecentAddresses instead="" />);
  expect((await screen.findByText(/new/)).textContent).toContain("+$500.00");
  expect(screen.getAllByRole("listitem")[1]!.textContent).not.toContain("$");
});

test("a watch can be removed where it is listed, and the focus stays in the part", async () => {
  storedWatches.write([watched(1, null), watched(2, null)]);
  answerRequests(() => failing("BAD_REQUEST"), tip as never);
  renderPart(<RecentAddresses instead="" />);
  await press("button", `Stop watching ${watched(1, null).address}`);
  expect(storedWatches.parse(storedWatches.read())).toEqual([watched(2, null)]);
  expect(screen.getAllByRole("listitem")).toHaveLength(1);
  expect(document.activeElement?.id).toBe("kept-addresses");
});

test("more watched addresses than one request may name are asked for in several", async () => {
  storedWatches.write(Array.from({ length: 8 }, (_, nth) => watched(nth, null)));
  const { asked } = answerRequests(
    (path) => json(new URLSearchParams(path.split("?")[1]).getAll("of").map(() => since(null))),
    tip as never,
  );
  renderPart(<RecentAddresses instead="" />);
  await screen.findAllByText("+3 −1 cells");
  expect(asked.map((path) => path.match(/of=/g)?.length)).toEqual([6, 2]);
});

test("an address is watched with what it held, each later view is its last visit, and it can be removed", async () => {
  const { address, time: _, ...place } = watched(1, "5");
  renderPart(<WatchButton address={address} {...place} hidden={false} />);
  await press("button", /Watch$/);
  expect(storedWatches.parse(storedWatches.read())).toMatchObject([{ address, valueUsd: "5" }]);
  // The other tabs of the page have no button.
  renderPart(<WatchButton address={address} {...place} height={8} valueUsd="7" hidden />);
  expect(storedWatches.parse(storedWatches.read())).toMatchObject([{ address, height: 8, valueUsd: "7" }]);
  await press("button", /Watch$/);
  expect(storedWatches.read()).toBeNull();
});

test("after recent addresses are cleared, the focus is on the part that held them", async () => {
  storedVisits.write([watched(1, null)]);
  renderPart(<RecentAddresses instead="Examples" />);
  await press("button", "Clear");
  expect(document.activeElement?.id).toBe("kept-addresses");
  expect(screen.getByText("Examples")).toBeTruthy();
  expect(storedVisits.read()).toBeNull();
});
