import { z } from "zod";
import { check } from "#lib/api/parse.ts";
import { tipHeaders } from "#lib/api/respond.ts";
import { HOLDINGS_PAGE, MAX_HOLDING_SEARCH, MAX_HOLDINGS_PAGE } from "#lib/client/holdings.ts";
import { addressUtxos, integer } from "#lib/contract/endpoints.ts";
import { addressKeyOf } from "../address-key.ts";
import { answerPageData } from "../page-data.ts";
import { shownHoldings } from "../shown-holdings.ts";

/** The last page that can be asked for: no address holds as many assets. */
const MAX_PAGE = 1_000_000;

const asked = {
  params: z.object({}),
  query: z.object({
    search: z
      .string()
      .max(MAX_HOLDING_SEARCH, `Expected at most ${MAX_HOLDING_SEARCH} characters`)
      .default(""),
    page: integer(1, 1, MAX_PAGE),
    pageSize: integer(HOLDINGS_PAGE, 1, MAX_HOLDINGS_PAGE),
  }),
};

/**
 * What an address holds, the most valuable first, for the page that shows it: `address`, `search` (part of a name, a
 * symbol or an id), `page` and `pageSize`.
 */
export function GET(request: Request): Promise<Response> {
  return answerPageData(request, addressUtxos.scope, async (service, searchParams) => {
    const { search, page, pageSize } = check(asked, {}, searchParams).values();
    const key = await addressKeyOf(service, searchParams);
    const { holdings, matchCount, tip } = await service.store.addressOverview(key, {
      search,
      offset: (page - 1) * pageSize,
      limit: pageSize,
    });
    return { body: { result: shownHoldings(holdings), total: matchCount }, headers: tipHeaders(tip) };
  });
}
