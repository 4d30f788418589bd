import { createHash } from "node:crypto";
import { expect, test, vi } from "vitest";
import { demoChain } from "#lib/demo/ckb/demo-chain.ts";
import { demoLedger } from "#lib/demo/ckb/demo-ledger.ts";
import { canonicalDump } from "#lib/testing/dump.ts";
import { engines } from "#lib/testing/engines.ts";
import { identity } from "#lib/testing/ledger.ts";
import { copyStore } from "./copy.ts";
import { loadDemo } from "./demo.ts";
import { verifyStore } from "./verify.ts";

const pairs = engines.flatMap((from) =>
  engines.map((to) => ({ from, to, name: `${from.name} to ${to.name}` })),
);

test.each(pairs)(
  "a copy from $name holds what the first does, and resumes where it stopped",
  async (pair) => {
    const from = await pair.from.open();
    const to = await pair.to.open();
    try {
      await loadDemo(from, demoLedger(demoChain({ liveOutputs: 450 })));
      const heights = vi.spyOn(from, "heights");
      const stop = copyStore(from, to, (done) => {
        if (done >= 400) throw new Error("cut off");
      });
      await expect(stop).rejects.toThrow("cut off");
      // However long the chain is, only so many heights are in memory.
      expect(heights.mock.calls).toEqual([
        [-1, 200],
        [199, 200],
      ]);
      heights.mockRestore();
      const left = await copyStore(from, to);
      expect(left).toBe((await from.heights()).length - 400);
      expect(await copyStore(from, to)).toBe(0);
      expect(await verifyStore(to)).toEqual([]);
      expect(await canonicalDump(to)).toBe(await canonicalDump(from));
      expect(await to.operatorData()).toEqual(await from.operatorData());
    } finally {
      await from.close();
      await to.close();
    }
  },
);

const token = (name: string, revokedAt: number | null = null) => ({
  id: name,
  name,
  hash: createHash("sha256").update(name).digest(),
  scopes: [],
  hint: "abcd",
  ratePerMinute: null,
  createdAt: 1,
  expiresAt: null,
  revokedAt,
});

test.each(pairs)(
  "a copy from $name before there is a chain takes tokens, registry and prices",
  async (pair) => {
    const from = await pair.from.open();
    const to = await pair.to.open();
    try {
      await from.createAccessToken(token("reader"));
      await from.replaceRegistry([{ id: "0x01", name: "One" }]);
      await from.loadPrices([{ assetId: "0x01", time: 1, usd: 5n }]);
      expect(await copyStore(from, to)).toBe(0);
      expect((await to.operatorData()).registry).toEqual((await from.operatorData()).registry);
      const { hash } = token("reader");
      expect(await to.accessTokenByHash(hash)).toEqual(await from.accessTokenByHash(hash));
      expect(await to.pricesAfter(null, 10)).toEqual(await from.pricesAfter(null, 10));
      await to.identify(identity);
      await expect(copyStore(from, to)).rejects.toThrow(/holds no chain, the second does/);
    } finally {
      await from.close();
      await to.close();
    }
  },
);

test.each(pairs)(
  "a second copy from $name keeps tokens made on the target, and every revocation",
  async (pair) => {
    const from = await pair.from.open();
    const to = await pair.to.open();
    try {
      for (const name of ["kept", "revoked here", "revoked there"]) await from.createAccessToken(token(name));
      await copyStore(from, to);
      await to.createAccessToken(token("made there"));
      await to.revokeAccessToken("revoked there", 7);
      await from.revokeAccessToken("revoked here", 8);
      await from.createAccessToken(token("made here"));
      await copyStore(from, to);
      const found = new Map((await to.accessTokens()).map(({ id, revokedAt }) => [id, revokedAt]));
      expect(found).toEqual(
        new Map([
          ["kept", null],
          ["made here", null],
          ["made there", null],
          ["revoked here", 8],
          ["revoked there", 7],
        ]),
      );
    } finally {
      await from.close();
      await to.close();
    }
  },
);
