import type { OutputKind } from "#lib/contract/chain.ts";
import { PLAIN_OUTPUT } from "#lib/contract/ledger.ts";

/** By the standard of the token or script, or by the text that `tokens.ts` gives a cell. */
const kinds: Readonly<Record<string, OutputKind>> = {
  [PLAIN_OUTPUT]: { label: "Plain", about: "Holds CKB and has no type script." },
  sUDT: { label: "Token", about: "Holds a token of the standard sUDT." },
  xUDT: { label: "Token", about: "Holds a token of the standard xUDT." },
  Spore: { label: "Spore", about: "Is a Spore, an NFT.", unique: "NFT" },
  Cluster: { label: "Cluster", about: "Describes a collection of Spores." },
  Unique: { label: "Token info", about: "A Unique cell: states a token's name and decimals." },
  Omiga: { label: "Token info", about: "An Omiga inscription: states a token's name and decimals." },
  CoTA: { label: "CoTA", about: "Registers compact NFTs, which this service does not read." },
  "m-NFT": { label: "m-NFT", about: "Belongs to the m-NFT standard, which this service does not read." },
  DID: { label: ".bit", about: "Belongs to .bit, the name service." },
  "did:ckb": { label: "did:ckb", about: "A decentralised identifier of the method did:ckb." },
  "type-id": {
    label: "Type-id code",
    about: "Code, or other data, with an id that stays the same when it changes.",
  },
  "dao-deposit": { label: "DAO deposit", about: "A deposit in the Nervos DAO, which earns interest." },
  "dao-withdrawal": {
    label: "DAO withdrawal",
    about: "A deposit that its owner is taking out of the Nervos DAO.",
  },
  "unknown-type": { label: "Unknown type", about: "Has a type script that this service does not know." },
};

/** As `Chain.terms.outputKind`. */
export function outputKind(text: string, height?: number): OutputKind | null {
  const [, name = "", depositedIn] = /^([^@]*)(?:@(\d{1,15}))?$/.exec(text) ?? [];
  const kind = Object.hasOwn(kinds, name) ? kinds[name]! : null;
  const deposit = name === "dao-deposit" ? height : depositedIn && Number(depositedIn);
  if (kind === null || typeof deposit !== "number") return kind;
  return { ...kind, block: { name: "Deposit block", height: deposit } };
}
