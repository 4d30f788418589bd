import { expect, test } from "vitest";
import { createService } from "#lib/api/service.ts";
import { encodeAddress, parseAddress } from "#lib/chains/ckb/address.ts";
import { account } from "#lib/chains/ckb/testing/cells.ts";
import { readConfig } from "#lib/config.ts";
import { revertTo } from "#lib/store/rules/revert.ts";
import { streamed } from "#lib/testing/ask.ts";
import { tokenOf } from "#lib/testing/ledger.ts";
import { describeEngines, feed, ledger, store } from "#lib/testing/stores.ts";
import { keepAhead, readAhead } from "./walk.ts";

const LISTS = ["addressStatement", "addressHoldings", "addressChanges"] as const;

describeEngines(() => {
  test("a stream whose rows were dropped meanwhile reads them again, and keeps none once it ends", async () => {
    const address = encodeAddress(account("ann"), "testnet");
    const to = parseAddress(address, "testnet");
    const create = Array.from({ length: 9 }, (_, i) => ({ to, token: tokenOf(`${i}`), amount: BigInt(i) }));
    await feed(store, [ledger.block([{ create }]), ledger.block([{ create: [{ to }, ...create.slice(4)] }])]);
    const service = await createService(store, readConfig({ LOG_LEVEL: "silent" }));
    for (const name of LISTS) {
      const sent = async (order: string, between: () => void) => {
        let all = "";
        for await (const text of streamed(service, name, { address }, order, 1)) {
          all += text;
          between();
        }
        return all;
      };
      for (const order of name === "addressHoldings" ? [""] : ["", "order=desc"]) {
        let held = 0;
        const whole = await sent(order, () => {
          held = Math.max(held, readAhead.size);
        });
        expect(held).toBe(1);
        expect(await sent(order, () => readAhead.clear())).toBe(whole);
      }
      for await (const _ of streamed(service, name, { address }, "", 1)) break;
      expect(readAhead.size).toBe(0);
    }
  });

  test("a stream that waits while blocks come back with other numbers of tokens sends the same lines", async () => {
    const address = encodeAddress(account("ann"), "testnet");
    const to = parseAddress(address, "testnet");
    const tokens = ["x", "y", "z"].map((name) => tokenOf(name));
    const first = ledger.block([{ create: [{ to }] }]);
    const moving = tokens.map((token, i) =>
      ledger.block([{ create: [{ to, token, amount: BigInt(i + 5) }] }]),
    );
    ledger.block();
    const later = ledger.block([{ create: [{ to: "bob", token: tokenOf("later") }] }]);
    await feed(store, [first, ...moving]);
    const service = await createService(store, readConfig({ LOG_LEVEL: "silent" }));
    for (const name of LISTS) {
      const sent = async (meanwhile: () => Promise<unknown>) => {
        let all = "";
        for await (const text of streamed(service, name, { address }, "", 1)) {
          if (all === "") await meanwhile();
          all += text;
        }
        return all;
      };
      const whole = await sent(async () => {});
      const disturbed = await sent(async () => {
        await store.write(revertTo, 0);
        await feed(store, [later], { extendTip: false });
        await feed(store, moving, { extendTip: false });
        await store.write(revertTo, 3);
      });
      expect(disturbed).toBe(whole);
      await store.write(revertTo, 0);
      await feed(store, moving);
    }
  });
});

test("of streams that take turns and do not all fit, most find their rows again", () => {
  const streams = Array.from({ length: 3 }, () => ({ reverts: 0, size: 140_000 }));
  let found = 0;
  for (let turn = 0; turn < 30; turn++) {
    for (const stream of streams) {
      found += Number(readAhead.has(stream));
      keepAhead(stream, stream);
    }
  }
  for (const stream of streams) keepAhead(stream, undefined);
  expect(found).toBeGreaterThan(50);
  expect(readAhead.size).toBe(0);
});
