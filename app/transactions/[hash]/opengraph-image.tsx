import { getService } from "#lib/api/service.ts";
import { displayDecimals, displaySymbol } from "#lib/client/chain-text.ts";
import { detect } from "#lib/client/detect.ts";
import { cutToText, cutTransactionHash, formatAmount, formatCount, formatUtc } from "#lib/client/format.ts";
import { isApiError } from "#lib/contract/errors.ts";
import { namesakesAmong } from "#lib/dashboard/namesakes.ts";
import { pricesAsOf } from "#lib/queries/prices.ts";
import { contract, MAX_ASSETS } from "#lib/queries/transaction/contract.ts";
import { transactionOf } from "#lib/queries/transaction/read.ts";
import { valueInUsd } from "#lib/util/amounts.ts";
import { decodePart } from "#lib/util/paths.ts";
import { terms } from "#terms";
import { drawShareImage, plainlyNamed, SHARE_IMAGE_SIZE } from "../../share-image.tsx";

export const alt = "What a transaction moved";
export const size = SHARE_IMAGE_SIZE;
export const contentType = "image/png";

const ASSETS = 3;

export default async function Image({ params }: { params: Promise<{ hash: string }> }) {
  const detected = detect(decodePart((await params).hash));
  const hash = detected.kind === "block-hash" ? detected.hash : null;
  const plain = hash === null ? null : { title: "Transaction", subject: cutToText(cutTransactionHash(hash)) };
  return drawShareImage(plain, contract.scope, async () => {
    const { store, identity } = await getService();
    const found = hash && (await store.query(transactionOf, { hash, assets: MAX_ASSETS }).catch(orNull));
    if (!found) return null;
    const { block, fee, inputs, outputs, moved, more } = found;
    const native = (await identity())?.native ?? terms.native;
    const assetIds = moved.map(({ token }) => token.id);
    const prices = await store.query(pricesAsOf, { assetIds, block });
    const valued = moved.map(({ token, out }) => {
      return { ...token, out, value: valueInUsd(out, token.decimals, prices.get(token.id) ?? 0n) };
    });
    const largest = valued.sort((one, other) => Number(other.value - one.value));
    const amounts = plainlyNamed(largest, { native, ...(await namesakesAmong(store, largest)) })
      .slice(0, ASSETS)
      .map((asset) => `${formatAmount(asset.out, displayDecimals(asset), 2).text} ${displaySymbol(asset)}`);
    return {
      figures: [
        ["Inputs", formatCount(inputs)],
        ["Outputs", formatCount(outputs)],
        ["Assets moved", formatCount(moved.length + more)],
        [`Fee, ${native.symbol}`, fee === null ? "unknown" : formatAmount(fee, native.decimals).text],
      ],
      lines: [
        amounts.length > 0 && `Moved ${amounts.join(", ")}`,
        `Block ${formatCount(block.height)}, ${formatUtc(block.timestamp)}`,
      ].filter((line) => typeof line === "string"),
    };
  });
}

/** A transaction that is not indexed, or not kept, has no figures. */
function orNull(error: unknown): null {
  if (isApiError(error)) return null;
  throw error;
}
