import { getService } from "#lib/api/service.ts";
import { displaySymbol } from "#lib/client/chain-text.ts";
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
import { namesakesAmong } from "#lib/dashboard/namesakes.ts";
import { addressOverview } from "#lib/queries/address-overview.ts";
import { contract as addressUtxos } from "#lib/queries/address-utxos/contract.ts";
import { blockHeader } from "#lib/queries/chain.ts";
import { decodePart } from "#lib/util/paths.ts";
import { terms } from "#terms";
import { drawShareImage, plainlyNamed, SHARE_IMAGE_SIZE } from "../../share-image.tsx";

export const alt = "What an address holds";
export const size = SHARE_IMAGE_SIZE;
export const contentType = "image/png";

const HOLDINGS = 50;
const SYMBOLS = 4;

export default async function Image({ params }: { params: Promise<{ address: string }> }) {
  const { store, identity, parseAddress } = await getService();
  const address = await parseAddress(decodePart((await params).address)).catch(() => null);
  const plain = address && { title: "Unspent outputs of", subject: cutToText(cutAddress(address.text)) };
  return drawShareImage(plain, addressUtxos.scope, async () => {
    if (!address) return null;
    const [overview, chain] = await Promise.all([
      store.query(addressOverview, { addressKey: address.key, limit: HOLDINGS }),
      identity(),
    ]);
    const { outputCount, capacity, tokenCount, unpricedCount, valueUsd } = overview;
    const tip = overview.tip && (await store.query(blockHeader, overview.tip.hash));
    const native = chain?.native ?? terms.native;
    const priced = tokenCount > unpricedCount;
    const tokens = overview.holdings.map(({ token }) => token);
    const surroundings = { native, ...(await namesakesAmong(store, tokens)) };
    const symbols = plainlyNamed(tokens, surroundings).slice(0, SYMBOLS).map(displaySymbol);
    return {
      figures: [
        [capitalised(terms.output.many), formatCount(outputCount)],
        [`Capacity, ${native.symbol}`, formatAmount(capacity, native.decimals, 2).text],
        ["Assets", formatCount(tokenCount)],
        ["Estimated value", priced ? formatUsd(BigInt(valueUsd)).text : "no price"],
      ],
      lines: [
        symbols.length > 0 && `Holds ${symbols.join(", ")}`,
        tip && `As of block ${formatCount(tip.height)}, ${formatUtc(tip.timestamp)}`,
        unpricedCount > 0 && priced && `${countOf(unpricedCount, "asset")} unpriced`,
      ].filter((line) => typeof line === "string"),
    };
  });
}
