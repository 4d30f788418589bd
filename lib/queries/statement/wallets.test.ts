import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createService } from "#lib/api/service.ts";
import { encodeAddress, parseAddress } from "#lib/chains/ckb/address.ts";
import { NATIVE_ASSET } from "#lib/chains/ckb/constants.ts";
import { followBranches } from "#lib/chains/ckb/testing/follow-branches.ts";
import { growth, owners } from "#lib/chains/ckb/testing/random-tree.ts";
import { readConfig } from "#lib/config.ts";
import type { Store } from "#lib/store/store.ts";
import { type Ask, asker, streamed } from "#lib/testing/ask.ts";
import { engines, MORE } from "#lib/testing/engines.ts";
import { statementOf } from "#lib/testing/statement-replay.ts";
import { TEST_TIMEOUT } from "#lib/testing/timeouts.ts";
import { walkAll } from "#lib/testing/walk-all.ts";
import type { HoldingEntry } from "../address-holdings/contract.ts";
import type { StatementLine } from "../address-statement/contract.ts";
import type { WalletChange } from "../changes/contract.ts";

const texts = owners.map((owner) => encodeAddress(owner, "testnet"));
const keys = texts.map((text) => parseAddress(text, "testnet").key);
type Search = Record<string, string>;
type List = "addressChanges" | "addressStatement" | "addressHoldings" | "changes" | "statement" | "holdings";

async function linesOf<Entry>(store: Store, list: List, search: Search): Promise<Entry[]> {
  const service = await createService(store, readConfig({ LOG_LEVEL: "silent" }));
  let text = "";
  for await (const piece of streamed(service, list, {}, search, 2)) text += piece;
  return text
    .trim()
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Entry);
}

const pagesOf = <Entry>(ask: Ask, list: List, { address = "", ...search }: Search): Promise<Entry[]> =>
  walkAll((cursor) =>
    list.startsWith("address")
      ? ask(list, { address }, { ...search, cursor })
      : ask(list, {}, { ...search, address, cursor }),
  );

/** Amounts by token, and by transaction if lines have one. */
function netsOf(lines: readonly StatementLine[]): Map<string, bigint> {
  const nets = new Map<string, bigint>();
  for (const { transaction, token, in: came, out } of lines) {
    const place = `${transaction} ${token}`;
    nets.set(place, (nets.get(place) ?? 0n) + BigInt(came) - BigInt(out));
  }
  return nets;
}

describe.each(engines)("a wallet in $name", ({ name, open }) => {
  const numRuns = (name === "SQLite" ? 10 : 2) * MORE;

  test("has what its addresses have, in order, without what they pay one another", {
    timeout: TEST_TIMEOUT * MORE,
  }, async () => {
    await fc.assert(
      fc.asyncProperty(
        growth,
        fc.nat({ max: 4 }),
        growth,
        fc.subarray([0, 1, 2], { minLength: 1 }),
        fc.integer({ min: 1, max: 6 }),
        fc.boolean(),
        async (first, fork, more, chosen, pageSize, isWhole) => {
          const store = await open();
          try {
            const blocks = await followBranches(store, first, [[fork, more]]);
            const ask = await asker(store);
            const wallet = chosen.map((number) => texts[number]!);
            const from = isWhole ? -1 : blocks.at(-1)!.height >> 1;
            const search: Search = { pageSize: `${pageSize}`, ...(!isWhole && { from: `${from}` }) };
            // The last address is there in two forms.
            const asked = { ...search, address: [...wallet, wallet.at(-1)!.toUpperCase()].join() };

            const changes = await pagesOf<WalletChange>(ask, "changes", asked);
            for (const address of wallet) {
              const own = changes.filter((change) => change.address === address);
              expect(own.map(({ address: _, ...change }) => change)).toEqual(
                await pagesOf(ask, "addressChanges", { ...search, address }),
              );
            }
            const hashes = blocks.flatMap(({ transactions }) => transactions.map(({ hash }) => hash));
            const places = changes.map(({ changeTransaction }) => hashes.indexOf(changeTransaction));
            expect(places).toEqual(places.toSorted((one, other) => one - other));
            expect(new Set(changes.map(({ address }) => address)).size).toBeLessThanOrEqual(wallet.length);

            const own = chosen.map((number) => keys[number]!);
            for (const per of ["block", "transaction"] as const) {
              const lines = await pagesOf<StatementLine>(ask, "statement", { ...asked, per });
              expect(lines).toEqual(
                statementOf(blocks, own, NATIVE_ASSET.id, per).filter(({ height }) => height > from),
              );
              const last = new Map<string, string>();
              for (const { token, opening, in: came, out, closing } of lines) {
                expect(opening).toBe(last.get(token) ?? opening);
                expect(BigInt(opening) + BigInt(came) - BigInt(out)).toBe(BigInt(closing));
                last.set(token, closing);
              }
              if (per === "block") continue;
              const single = await Promise.all(
                wallet.map((address) =>
                  pagesOf<StatementLine>(ask, "addressStatement", { ...search, address, per }),
                ),
              );
              expect(netsOf(lines)).toEqual(
                new Map([...netsOf(lines)].map(([place]) => [place, netsOf(single.flat()).get(place)!])),
              );
              expect(netsOf(lines).size).toBe(netsOf(single.flat()).size);
            }

            for (const [list, more] of [
              ["changes", {}],
              ["statement", {}],
              ["statement", { per: "transaction" }],
            ] as [List, Search][]) {
              const oldest = await pagesOf(ask, list, { ...asked, ...more });
              const newest = { ...asked, ...more, order: "desc" };
              expect(await pagesOf(ask, list, newest)).toEqual(oldest.toReversed());
              expect(await linesOf(store, list, newest)).toEqual(oldest.toReversed());
              expect(await linesOf(store, list, { ...asked, ...more })).toEqual(oldest);
            }

            const at = `${from + 1}`;
            const sums = new Map<string, bigint>();
            for (const address of wallet) {
              const held = await pagesOf<HoldingEntry>(ask, "addressHoldings", { address, at });
              for (const { token, amount, outputCount } of held)
                sums.set(token, (sums.get(token) ?? 0n) + BigInt(amount) * 1_000n + BigInt(outputCount));
            }
            const held = await pagesOf<HoldingEntry>(ask, "holdings", {
              address: asked.address,
              at,
            });
            expect(
              new Map(
                held.map(({ token, amount, outputCount }) => [
                  token,
                  BigInt(amount) * 1_000n + BigInt(outputCount),
                ]),
              ),
            ).toEqual(sums);
          } finally {
            await store.close();
          }
        },
      ),
      { numRuns },
    );
  });
});
