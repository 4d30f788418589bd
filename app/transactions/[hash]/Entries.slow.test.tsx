// @vitest-environment happy-dom
import { screen, within } from "@testing-library/react";
import { expect, test } from "vitest";
import { answerRequests, json, press, renderPart, setUpParts } from "#components/testing/parts.tsx";
import type { OutputEntry } from "#lib/queries/transaction-outputs/contract.ts";
import { terms } from "#terms";
import { Entries } from "./Entries.tsx";

setUpParts();

const hash = `0x${"ab".repeat(32)}`;
const COUNT = 100_000;

function output(index: number): OutputEntry {
  return {
    ...{ address: `ckb1${index}`, token: terms.native.id, amount: "1", capacity: "1", blockHeight: 5 },
    tokenInfo: { ...terms.native, name: "" } as unknown as OutputEntry["tokenInfo"],
    outPoint: `${hash}:${index}`,
    spent: null,
  };
}

/** Responds as the API does for a transaction with this many outputs. */
function page(path: string): Response {
  const query = new URL(path, "http://localhost").searchParams;
  const first = Number(query.get("cursor") ?? query.get("firstIndex") ?? 0);
  const end = Math.min(COUNT, first + Number(query.get("pageSize")));
  const result = Array.from({ length: end - first }, (_, at) => output(first + at));
  return json({ result, hasNext: end < COUNT, lastCursor: String(end) });
}

const places = () =>
  screen.getAllByRole("row").flatMap(({ dataset: { id } }) => (id ? [Number(id.split(":")[1])] : []));

test("the list of 100,000 outputs opens at the one that is marked, and goes on in both directions", async () => {
  const { asked } = answerRequests(page);
  renderPart(
    <Entries
      hash={hash}
      side="outputs"
      total={COUNT}
      marked={`${hash}:130`}
      surroundings={{ native: terms.native, listed: [], bySymbol: [] }}
      tip={null}
      tabs={[]}
    />,
    { search: `from=${hash}:129&row=131` },
  );
  const marked = await screen.findByRole("row", { current: true });
  expect(within(marked).getByText("130")).toBeTruthy();
  expect([places()[0], asked.length]).toEqual([130, 1]);
  await press("button", "Details of output 130");
  expect(screen.getByRole("link", { name: `${hash}:130` }).getAttribute("href")).toBe(
    `/transactions/${hash}#130`,
  );
  await press("button", "Load earlier rows");
  await screen.findByText("200 of 100,000 loaded");
  await press("button", "Load earlier rows");
  await screen.findByText("230 of 100,000 loaded");
  expect(screen.queryByText(/from the middle/)).toBeNull();
  await press("button", "Load next 100");
  await screen.findByText("330 of 100,000 loaded");
  expect(asked.map((path) => new URL(path, "http://x").searchParams.get("cursor"))).toEqual([
    ...[null, null, null, "230"],
  ]);
});
