/** Says what outputs are as of a block: rewards mature, and nothing else changes. */
import type { OutputStates } from "#lib/contract/chain.ts";
import { type AddressText, kindWord } from "#lib/contract/ledger.ts";
import { scriptOf } from "./address.ts";
import type { Currency } from "./networks.ts";
import { formOf } from "./script.ts";

/** `Output.kind` of a block's reward, and of what leaves Litecoin's extension blocks. */
export const REWARD = "coinbase";
export const PEG_OUT = "pegout";
/** An output can be spent this many blocks after its own: `COINBASE_MATURITY` and `PEGOUT_MATURITY` of `consensus.h`. */
const MATURITY: Readonly<Record<string, number>> = { [REWARD]: 100, [PEG_OUT]: 6 };

export function outputStates(currency: Currency, address: AddressText): OutputStates {
  const script = scriptOf(address.text, currency);
  const form = script ? formOf(script).kind : "script";
  return {
    changing: {
      kinds: currency.mweb ? [REWARD, PEG_OUT] : [REWARD],
      rewardsOnly: !currency.mweb,
      blocks: MATURITY[REWARD]!,
    },
    heightsFor: () => [],
    stateOf({ kind, height }, asOf) {
      const word = kindWord(kind);
      const maturity = MATURITY[word];
      if (maturity === undefined) return { kind, until: "", compensation: "" };
      const spendable = height + maturity;
      // A block may spend it if its height is the next one.
      const isMature = height < 0 || asOf + 1 >= spendable;
      return {
        kind: isMature ? form : `${word}@${spendable}`,
        until: isMature ? "" : `block ${spendable}`,
        compensation: "",
      };
    },
  };
}
