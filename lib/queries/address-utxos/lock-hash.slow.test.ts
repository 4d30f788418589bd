import { expect, test } from "vitest";
import { serveDemo } from "#lib/testing/demo-server.ts";

test("the hash of a lock gives the same outputs as the full address if the whole lock is stored", async () => {
  const demo = await serveDemo(20);
  try {
    const outputs = demo.ledger.blocks
      .flatMap(({ transactions }) => transactions)
      .flatMap((each) => each.outputs);
    const entriesOf = async (address: string) => {
      const headers = { Authorization: `Bearer ${demo.token}` };
      const url = `${demo.origin}/v0/addresses/${address}/utxos?include=kind`;
      return ((await (await fetch(url, { headers })).json()) as { result: { kind: string }[] }).result;
    };
    const { key, text } = outputs.find(
      ({ address }) => address.text === demo.chain.notable.lockedAddress,
    )!.address;
    const entries = await entriesOf(text);
    expect(entries.map(({ kind }) => kind)).toContain("locked");
    expect(await entriesOf(`lock-hash:${key}`)).toEqual(entries);
  } finally {
    await demo.close();
  }
});
