import { expect, test } from "vitest";
import { demoChain } from "#lib/chains/ckb/demo/demo-chain.ts";
import { demoLedger } from "#lib/chains/ckb/demo/demo-ledger.ts";
import { canonicalDump } from "#lib/testing/dump.ts";
import { engines } from "#lib/testing/engines.ts";
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
      const stop = copyStore(from, to, (done) => {
        if (done >= 400) throw new Error("cut off");
      });
      await expect(stop).rejects.toThrow("cut off");
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
