/** A wallet is several addresses that count as one. Code names it by its addresses, with commas between them. */
import { limitText, MAX_ADDRESSES } from "#lib/contract/texts.ts";
import { terms } from "#terms";
import { detect, notAddress } from "./detect.ts";
import { countOf, formatCount } from "./format.ts";
import { isTextUpTo, storedList } from "./stored.ts";

export const ADDRESS = { one: "address", many: "addresses" };
export const MORE_ADDRESSES = { one: "more address", many: "more addresses" };

export const addressesIn = (wallet: string): string[] => wallet.split(",");
export const isWallet = (address: string): boolean => address.includes(",");

/** The page of an address, or of a wallet. */
export function addressPage(address: string, query: Record<string, string> = {}): string {
  if (isWallet(address)) return walletPage(addressesIn(address), query);
  const search = new URLSearchParams(query);
  return `/addresses/${address}${search.size === 0 ? "" : `?${search}`}`;
}

/** The page of a wallet, which may have one address or none yet. */
export function walletPage(addresses: readonly string[], query: Record<string, string> = {}): string {
  const search = new URLSearchParams(addresses.map((address) => ["address", address]));
  for (const [name, value] of Object.entries(query)) search.append(name, value);
  return `/wallet${search.size === 0 ? "" : `?${search}`}`;
}

/** A wallet that is kept in the browser. */
export interface SavedWallet {
  name: string;
  addresses: string[];
}

/** Maximum length of a name, in UTF-16 code units. */
export const MAX_WALLET_NAME = 60;
/** Maximum length of an address that is kept, in UTF-16 code units. */
export const MAX_ADDRESS_TEXT = 2_000;

export const savedWallets = storedList(
  "aqs_wallets_1",
  50,
  (value): value is SavedWallet => {
    const { name, addresses } = Object(value) as Partial<SavedWallet>;
    return (
      isTextUpTo(MAX_WALLET_NAME)(name) &&
      Array.isArray(addresses) &&
      addresses.length > 0 &&
      addresses.length <= MAX_ADDRESSES &&
      addresses.every(isTextUpTo(MAX_ADDRESS_TEXT))
    );
  },
  ({ name }) => name,
);

const isSame = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && new Set([...one, ...other]).size === one.length;

/** The wallet with these addresses, in any order. */
export const walletWith = (wallets: readonly SavedWallet[], addresses: readonly string[]) =>
  wallets.find((one) => isSame(one.addresses, addresses));

/** The list with a wallet in place of those with its name, and of the first one with the `former` addresses. */
export function withWallet(
  wallets: readonly SavedWallet[],
  wallet: SavedWallet,
  former: readonly string[],
): SavedWallet[] {
  const edited = walletWith(wallets, former);
  return [wallet, ...wallets.filter((one) => one.name !== wallet.name && one !== edited)];
}

export const BETWEEN_ADDRESSES = /[\s,;]+/;
/** Maximum length of a list of addresses as text, in UTF-16 code units. */
const MAX_TEXT = 200_000;
/** Wrong addresses that are named. */
const NAMED = 5;
/** Characters of a wrong address that are repeated. */
const SHOWN = 40;

/** Addresses of a text, each once. `fault`: why the text cannot be used. `repeated`: how many were left out. */
export interface ReadAddresses {
  addresses: string[];
  repeated: number;
  fault: string | null;
}

const refused = (fault: string): ReadAddresses => ({ addresses: [], repeated: 0, fault });

/** Reads addresses with commas, spaces or line breaks between them. The server checks the rest, such as checksums. */
export function readAddresses(text: string): ReadAddresses {
  if (text.length > MAX_TEXT) return refused(`The text has more than ${formatCount(MAX_TEXT)} characters.`);
  const found = text
    .split(BETWEEN_ADDRESSES)
    .filter(Boolean)
    .map((part) => ({ part, detected: detect(part) }));
  const wrong = found.flatMap(({ part, detected }) => {
    if (detected.kind === "address") return [];
    // Nobody asked for a block or a hash here.
    const shape = terms.detectAddress(part);
    return `“${limitText(part, SHOWN)}”: ${shape && "fault" in shape ? shape.fault : notAddress()}.`;
  });
  if (wrong.length > 0) {
    const more = wrong.length > NAMED ? ` ${formatCount(wrong.length - NAMED)} more are wrong.` : "";
    return refused(wrong.slice(0, NAMED).join(" ") + more);
  }
  const all = found.flatMap(({ detected }) => (detected.kind === "address" ? detected.address : []));
  const addresses = [...new Set(all)];
  if (addresses.length === 0) return refused("Enter at least one address.");
  if (addresses.length > MAX_ADDRESSES) return refused(tooMany(addresses.length));
  return { addresses, repeated: all.length - addresses.length, fault: null };
}

export const tooMany = (count: number): string =>
  `${countOf(count, ADDRESS)}: a wallet has at most ${MAX_ADDRESSES}.`;
