/** What outputs are as of a block: rewards mature, nothing else changes. */
import type { OutputStates } from "#lib/contract/chain.ts";
import { type Address, kindWord } from "#lib/contract/ledger.ts";
import { parseAddress } from "./address.ts";
import type { Currency } from "./networks.ts";
import { formOf } from "./script.ts";

/** `Output.kind` of a block's reward. */
const REWARD = "coinbase";
/** So many blocks after its own, a reward can be spent (`COINBASE_MATURITY` of Bitcoin Core). */
const MATURITY = 100;

export function outputStates(currency: Currency, address: Address): OutputStates {
  const script = parseAddress(address.text, currency, null).lockFacts[0]?.value;
  const form = script === undefined ? "script" : formOf(Buffer.from(script, "hex")).kind;
  return {
    changing: { kinds: [REWARD], rewardsOnly: true, blocks: MATURITY },
    heightsFor: () => [],
    stateOf({ kind, height }, asOf) {
      if (kindWord(kind) !== REWARD) return { kind, until: "", compensation: "" };
      const spendable = height + MATURITY;
      // A block may spend it if its height is the next one.
      const isMature = height < 0 || asOf + 1 >= spendable;
      return {
        kind: isMature ? form : `${REWARD}@${spendable}`,
        until: isMature ? "" : `block ${spendable}`,
        compensation: "",
      };
    },
  };
}
