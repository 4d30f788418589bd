import { z } from "zod";
import { tipHeaders } from "#lib/api/respond.ts";
import type { SeriesPoint as ShownPoint, AddressSeries as ShownSeries } from "#lib/client/series.ts";
import { toUnits, USD_DECIMALS } from "#lib/contract/amounts.ts";
import { asOf } from "#lib/contract/block-reference.ts";
import {
  type AddressSeries,
  addressSeries,
  type SeriesPoint,
  SPANS,
  type Span,
} from "#lib/questions/address-series.ts";
import { contract as addressUtxos, tokenId } from "#lib/questions/address-utxos/contract.ts";
import { check } from "#lib/questions/parse.ts";
import { addressKeyOf, pageData } from "./page-data.ts";

const asked = {
  params: z.object({}),
  query: z.object({
    at: asOf,
    span: z.enum(Object.keys(SPANS) as [Span, ...Span[]]).default("7d"),
    token: tokenId.optional(),
  }),
};

/**
 * `GET /series`: what an address held over time, by `address`, `span`, `token` (missing: all that it held) and `at`, the block
 * that the series ends with.
 */
export const answerSeries = pageData(
  () => addressUtxos.scope,
  async (service, given) => {
    const query = check(asked, {}, given).values();
    const series = await service.store.ask(addressSeries, {
      addressKey: await addressKeyOf(service, given),
      ...query,
    });
    return { body: shownSeries(series), headers: tipHeaders(series.tip) };
  },
);

export function shownSeries({ points, dayAgo, weekAgo }: AddressSeries): ShownSeries {
  return {
    points: points?.map(shownPoint) ?? null,
    dayAgo: dayAgo && shownPoint(dayAgo),
    weekAgo: weekAgo && shownPoint(weekAgo),
  };
}

const shownPoint = ({ height, hash, timestamp, amount, valueUsd, unpriced }: SeriesPoint): ShownPoint => ({
  height,
  hash,
  timestamp,
  amount,
  valueUsd: valueUsd === null ? null : toUnits(valueUsd, USD_DECIMALS),
  unpriced,
});
