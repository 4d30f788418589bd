/**
 * `npm run attack -- verify-memory [OUTPUTS]`: runs `aqs verify` on a million outputs. Half of them are tokens of
 * their own, each at an address of its own. Its memory must grow with neither. Takes some minutes and 1 GB of disk.
 */
import { join } from "node:path";
import { addressOf } from "#lib/chains/ckb/address.ts";
import { NATIVE_ASSET } from "#lib/chains/ckb/constants.ts";
import { account } from "#lib/chains/ckb/testing/cells.ts";
import { openStore } from "#lib/store/open.ts";
import { identify } from "#lib/store/rules/ledger.ts";
import { Ledger, type OutputPlan, storeBlocks, tokenOf } from "#lib/testing/ledger.ts";
import { aqs, check, inFolder, seconds } from "./drill.ts";

const OUTPUTS = Number(process.argv[2] ?? 1_000_000);
const OUTPUTS_PER_BLOCK = 1_000;
/** Megabytes of resident memory; Node alone takes 60, and the database's cache 64. */
const MAX_MEMORY = 400;

const lock = account("holder");

async function fill(file: string): Promise<void> {
  const store = await openStore(`sqlite:${file}`);
  await store.write(identify, { network: "testnet", native: NATIVE_ASSET, demo: false });
  const ledger = new Ledger("verify");
  for (let made = 0; made < OUTPUTS; made += OUTPUTS_PER_BLOCK) {
    const create = Array.from({ length: OUTPUTS_PER_BLOCK }, (_, i): OutputPlan => {
      const args = `0x${(made + i).toString(16).padStart(40, "0")}`;
      const to = addressOf({ ...lock, args }, "testnet");
      if (i % 2 === 0) return { to };
      return {
        to,
        token: tokenOf(`token ${made + i}`, {
          standard: "Spore",
          fungible: false,
          contentType: "text/plain",
        }),
      };
    });
    const block = ledger.block([{ create }]);
    await storeBlocks(store, [block]);
    // The ledger would keep the whole chain.
    ledger.blocks.splice(0, ledger.blocks.length - 1);
  }
  await store.close();
}

await inFolder(async (folder) => {
  const file = join(folder, "verify.db");
  const began = performance.now();
  await fill(file);
  console.log(`${OUTPUTS.toLocaleString("en-US")} outputs stored in ${seconds(began)}`);
  const { code, peak, seconds: took, lines } = await aqs(["verify"], file);
  check(code === 0, "verify ends, and finds nothing", `${took.toFixed(1)} s, ${lines.at(-1)}`);
  check(peak < MAX_MEMORY, `verify stays below ${MAX_MEMORY} MB`, `${peak} MB`);
});
