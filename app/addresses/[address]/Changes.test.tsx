import { act, fireEvent, screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { answerRequests, json, renderPart, setUpParts } from "#components/testing/parts.tsx";
import { Changes } from "./Changes.tsx";
import type { AddressChanges } from "./read-changes.ts";

setUpParts();

/** A token with two decimals, and the amounts that came in and went out. */
function rowOf(id: string, came: bigint, left: bigint, price: string | null, decimals = 2) {
  const token = { id, name: id, symbol: id, icon: "", decimals, public: true, standard: "xUDT" };
  const flow = (amount: bigint) => ({ transactionCount: 1, amount: amount.toString() });
  return { token, came: flow(came), left: flow(left), price };
}

function show(changes: Omit<AddressChanges, "since" | "upTo">) {
  renderPart(
    <Changes
      to=""
      address="ckt1"
      since="1"
      presets={[]}
      lastVisit={undefined}
      flagsOf={() => []}
      shareOf={(token) => (token === "MORE" ? "12.00 %" : undefined)}
      strip={(tools) => tools}
      changes={{
        since: { height: 1, block: null, replaced: null },
        upTo: { height: 2, hash: "0x2" },
        ...changes,
      }}
    />,
  );
}

test("where nothing moved, the page says that only prices may have changed the value", () => {
  show({ total: 0, cameUsd: "0", leftUsd: "0", unpricedCount: 0, rows: [] });
  expect(screen.getByText(/^Nothing came in or went out/).textContent).toBe(
    "Nothing came in or went out since block 1, up to block 2. If its value changed, only prices did that.",
  );
});

test("unique tokens are counted in their unit", () => {
  const members = rowOf("", 0n, 38n, null, 0);
  const rows = [{ ...members, token: { ...members.token, standard: "Spore" } }];
  show({ total: 1, cameUsd: "0", leftUsd: "0", unpricedCount: 1, rows });
  expect(screen.getAllByText("−38 × NFT")).toHaveLength(2);
});

test("a net amount has its value if there is a price, and its token a card with the share", async () => {
  const price = `2${"0".repeat(18)}`;
  show({
    total: 4,
    ...{ cameUsd: "1300000000", leftUsd: "500000000", unpricedCount: 2 },
    rows: [
      rowOf("MORE", 500n, 150n, price),
      rowOf("LESS", 150n, 500n, price),
      rowOf("FREE", 500n, 150n, null),
      rowOf("ODD", 500n, 150n, price, 255),
    ],
  });
  const nets = screen.getAllByRole("row").map(({ lastElementChild }) => {
    const [figure, value] = lastElementChild!.querySelectorAll("[title], [title] + span");
    return figure && [figure.textContent, value?.textContent];
  });
  expect(nets).toEqual([
    undefined,
    ["+$8.00", undefined],
    ["+3.5", "+$7.00"],
    ["−3.5", "−$7.00"],
    ["+3.5", undefined],
    ["+350 (raw)", undefined],
  ]);
  const [, sums] = screen.getAllByRole("row");
  expect(sums!.textContent).toBe("Value of allIn+$13.00Out−$5.00Net+$8.00");
  expect(screen.getByText(/^4 tokens came in or went out since/).textContent).toContain(
    "2 of them have a price.",
  );
  expect(screen.getByRole("link", { name: "MORE" }).getAttribute("href")).toBe(
    "/?tab=statement&token=MORE&since=1&to=0x2",
  );
  expect(screen.getByText(/^Net by transaction/).textContent).toContain("each block’s own prices");
  HTMLElement.prototype.showPopover = () => {};
  answerRequests(() =>
    json({ tokenInfo: { totalSupply: "1" }, priceUsd: null, holderCount: 7, resembles: "" }),
  );
  act(() => void fireEvent.pointerEnter(screen.getByText("MORE"), { pointerType: "mouse" }));
  expect((await screen.findByText("12.00 %")).closest("[role=tooltip]")).not.toBeNull();
  for (const name of ["Export", /API/]) expect(screen.getByRole("button", { name })).toBeTruthy();
});
