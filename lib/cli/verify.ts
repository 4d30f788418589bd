import { chain } from "#chain/chain.ts";
import { verifyStore } from "#lib/ingest/verify.ts";
import { type Command, parseWords, print, report, UsageError, withStore } from "./command.ts";

export const verify: Command = {
  usage: "verify",
  summary: "Check the stored data against its own invariants.",
  details: "Prints each broken invariant. Exits 1 if there is one, otherwise 0.",
  async run(args) {
    if (parseWords(args, {}).positionals.length > 0) throw new UsageError("verify takes no arguments");
    const faults = await withStore((store) => verifyStore(store, { parseAddress: chain.parseAddress }));
    for (const fault of faults) print(fault);
    report(faults.length === 0 ? "All invariants hold." : `${faults.length} invariants are broken.`);
    return faults.length === 0 ? 0 : 1;
  },
};
