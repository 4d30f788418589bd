import { expect, test } from "vitest";
import { raiseHorizon } from "#lib/store/rules/horizon.ts";
import { asker } from "#lib/testing/ask.ts";
import { at, hashOf } from "#lib/testing/ledger.ts";
import { describeEngines, feed, ledger, store } from "#lib/testing/stores.ts";
import { addressOf, addressText } from "#lib/testing/v0.ts";

describeEngines(() => {
  test("an output has what a request includes; one that nobody can spend is never spendable", async () => {
    const { hash } = ledger.block([
      { create: [{ to: addressOf(1) }, { to: addressOf(2), spendable: false }] },
    ]).transactions[0]!;
    await feed(store, ledger.blocks);
    const ask = await asker(store);
    const included = [
      ["include", "kind,time"],
      ["value", "usd"],
    ] as [string, string][];
    const entry = { kind: "plain", blockTime: new Date(ledger.tip!.timestamp).toISOString(), valueUsd: "" };
    for (const [outPoint, expected] of [
      [`${hash}:0`, { address: addressText(1), until: "", spent: null }],
      [`${hash.slice(2).toUpperCase()}:0x1`, { address: addressText(2), until: "never", spent: null }],
    ] as const)
      expect(await ask("output", { outPoint }, included)).toMatchObject({ ...entry, ...expected });
  });

  test.each([
    ["the hash is too short", `${"ab".repeat(31)}:0`, "invalid_format"],
    ["there is no index", `0x${"ab".repeat(32)}`, "invalid_format"],
    ["the index needs more than 4 bytes", `0x${"ab".repeat(32)}:4294967296`, "invalid_out_point"],
    ["the index has 11 digits", `0x${"ab".repeat(32)}:10000000000`, "invalid_out_point"],
    ["the index has 9 hex digits", `0x${"ab".repeat(32)}:0x100000000`, "invalid_out_point"],
    ["the index is negative", `0x${"ab".repeat(32)}:-1`, "invalid_format"],
  ])("is 400 if %s", async (_, outPoint, code) => {
    const asked = (await asker(store))("output", { outPoint }, {});
    const issues = [{ path: ["path", "outPoint"], code, message: expect.any(String) }];
    await expect(asked).rejects.toMatchObject({ code: "BAD_REQUEST", issues });
  });

  test("is 404 if no indexed block has the output, with the reason if it may not be kept", async () => {
    const ask = await asker(store);
    const issuesOf = (outPoint: string) =>
      ask("output", { outPoint }, {}).then(
        () => [],
        ({ code, issues }) => [code, ...issues.map((issue: { code: string }) => issue.code)],
      );
    const unknown = `${hashOf("none")}:0`;
    expect(await issuesOf(unknown)).toEqual(["NOT_FOUND"]);
    const first = ledger.block([{ create: [{ to: "ann" }, { to: "bob" }] }]);
    const second = ledger.block([{ spend: [at(first, 0, 0)], create: [{ to: "cat" }] }]);
    ledger.block();
    await feed(store, ledger.blocks);
    const [hash, newer] = [first, second].map(({ transactions }) => transactions[0]!.hash);
    expect(await issuesOf(`${hash}:2`)).toEqual(["NOT_FOUND"]);
    expect((await ask("output", { outPoint: `${hash}:0` }, {})).spent).toMatchObject({ transaction: newer });
    await store.write(raiseHorizon, 1);
    for (const outPoint of [`${hash}:0`, unknown])
      expect(await issuesOf(outPoint)).toEqual(["NOT_FOUND", "not_kept"]);
    expect((await ask("output", { outPoint: `${hash}:1` }, {})).spent).toBeNull();
    expect(await issuesOf(`${newer}:0`)).toEqual([]);
  });
});
