import { terms } from "#chain/terms.ts";
import { getService } from "#lib/api/service.ts";
import { createFlagger, displaySymbol, namesakesOf } from "#lib/client/chain-text.ts";
import {
  capitalised,
  countOf,
  cutAddress,
  cutToText,
  formatAmount,
  formatCount,
  formatUsd,
  formatUtc,
} from "#lib/client/format.ts";
import { type AddressOverview, addressOverview } from "#lib/questions/address-overview.ts";
import { contract as addressUtxos } from "#lib/questions/address-utxos/contract.ts";
import { blockHeader } from "#lib/questions/chain.ts";
import type { ChainIdentity } from "#lib/store/store.ts";
import { decodePart } from "../../caller.ts";
import {
  drawable,
  drawShareImage,
  mayShowFigures,
  PLAIN_SHARE_IMAGE,
  SHARE_IMAGE_SIZE,
} from "../../share-image.tsx";

export const alt = "What an address holds";
export const size = SHARE_IMAGE_SIZE;
export const contentType = "image/png";

const HOLDINGS = 50;
const SYMBOLS = 4;

export default async function Image({ params }: { params: Promise<{ address: string }> }) {
  const text = decodePart((await params).address);
  const { store, identity, parseAddress } = await getService();
  const address = await parseAddress(text).catch(() => null);
  // Not an address: a picture of nothing but the service's name.
  if (!address) return drawShareImage(PLAIN_SHARE_IMAGE);
  const plain = {
    ...PLAIN_SHARE_IMAGE,
    title: "Unspent outputs of",
    subject: cutToText(cutAddress(address.text)),
  };
  if (!(await mayShowFigures(addressUtxos.scope))) return drawShareImage(plain);

  const [overview, chain] = await Promise.all([
    store.ask(addressOverview, { addressKey: address.key, limit: HOLDINGS }),
    identity(),
  ]);
  const tip = overview.tip && (await store.ask(blockHeader, overview.tip.hash));
  const { symbol, decimals } = chain?.native ?? terms.native;
  const priced = overview.tokenCount > overview.unpricedCount;
  const symbols = plainSymbols(overview, chain);
  return drawShareImage({
    ...plain,
    figures: [
      [capitalised(terms.output.many), formatCount(overview.outputCount)],
      [`Capacity, ${symbol}`, formatAmount(overview.capacity, decimals, 2).text],
      ["Assets", formatCount(overview.tokenCount)],
      ["Estimated value", priced ? formatUsd(BigInt(overview.valueUsd)).text : "no price"],
    ],
    lines: [
      ...(symbols.length > 0 ? [`Holds ${symbols.join(", ")}`] : []),
      ...(tip ? [`As of block ${formatCount(tip.height)}, ${formatUtc(tip.timestamp)}`] : []),
      ...(overview.unpricedCount > 0 && priced
        ? [`${countOf(overview.unpricedCount, "asset")} unpriced`]
        : []),
    ],
  });
}

/** Symbols that nothing is odd about, and that can be drawn as they are. */
function plainSymbols({ holdings }: AddressOverview, chain: ChainIdentity | null): string[] {
  const tokens = holdings.map(({ token }) => token);
  const flagger = createFlagger({ native: chain?.native ?? null, ...namesakesOf(tokens) });
  return tokens
    .filter((token) => token.symbol !== "" && flagger(token).length === 0)
    .map(displaySymbol)
    .filter((symbol) => drawable(symbol) === symbol)
    .slice(0, SYMBOLS);
}
