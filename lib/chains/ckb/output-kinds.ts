import type { ChainWords } from "#lib/contract/chain.ts";
import { PLAIN_OUTPUT } from "#lib/contract/ledger.ts";

/** The kind of a deposit that its owner is taking out of the Nervos DAO. */
export const WITHDRAWAL = "dao-withdrawal";

/** Words for the kinds, by the standard of the token or script, or by a kind from `tokens.ts` or `output-states.ts`. */
export const kinds = {
  [PLAIN_OUTPUT]: { label: "Plain", about: "Holds CKB: it has neither a type script nor data." },
  immature: { label: "Immature", about: "The reward of a block, which can be spent four epochs later." },
  locked: { label: "Time lock", about: "Holds CKB that its lock does not release yet." },
  burnt: { label: "Burnt", about: "Holds CKB that nobody can ever spend: no code has the hash in its lock." },
  data: { label: "Data", about: "Holds data without a type script. Spending it destroys the data." },
  code: { label: "Code", about: "Holds a program that scripts may run. Spending it destroys the program." },
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
  "dao-deposit": {
    label: "DAO deposit",
    about: "A deposit in the Nervos DAO, which earns interest.",
    block: { name: "Deposit block", own: true },
  },
  [WITHDRAWAL]: {
    label: "DAO withdrawal",
    about: "A deposit that its owner is taking out of the Nervos DAO.",
    block: { name: "Deposit block" },
  },
  "unknown-type": { label: "Unknown type", about: "Has a type script that this service does not know." },
} satisfies ChainWords["kinds"];
export type Kind = keyof typeof kinds;

/** The block of a cell's deposit in the Nervos DAO; null if it has none. `height` is that of the cell's own block. */
export function depositBlock(kind: string, height: number): number | null {
  if (kind === "dao-deposit") return height;
  const [, depositedIn] = /^dao-withdrawal@(\d{1,15})$/.exec(kind) ?? [];
  return depositedIn === undefined ? null : Number(depositedIn);
}
