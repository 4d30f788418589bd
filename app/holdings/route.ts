import { tipHeaders } from "#lib/api/respond.ts";
import { HOLDINGS_PAGE, MAX_HOLDING_SEARCH, MAX_HOLDINGS_PAGE } from "#lib/client/holdings.ts";
import { addressUtxos } from "#lib/contract/endpoints.ts";
import { ApiError, type Issue } from "#lib/contract/errors.ts";
import { addressKeyOf } from "../address-key.ts";
import { answerPageData } from "../page-data.ts";
import { shownHoldings } from "../shown-holdings.ts";

/** The last page that can be asked for: no address holds as many assets. */
const MAX_PAGE = 1_000_000;

/**
 * What an address holds, the most valuable first, for the page that shows it: `address`, `search` (part of a name, a
 * symbol or an id), `page` and `pageSize`.
 */
export function GET(request: Request): Promise<Response> {
  return answerPageData(request, addressUtxos.scope, async (service, searchParams) => {
    const { search, page, pageSize } = parse(searchParams);
    const key = await addressKeyOf(service, searchParams);
    const { holdings, matchCount, tip } = await service.store.addressOverview(key, {
      search,
      offset: (page - 1) * pageSize,
      limit: pageSize,
    });
    return { body: { result: shownHoldings(holdings), total: matchCount }, headers: tipHeaders(tip) };
  });
}

/** Throws BAD_REQUEST with every violated parameter. */
function parse(query: URLSearchParams) {
  const issues: Issue[] = [];
  const refuse = (name: string, message: string) =>
    issues.push({ path: ["query", name], code: "invalid_value", message });
  const number = (name: string, fallback: number, most: number) => {
    const text = query.get(name) ?? String(fallback);
    const value = /^[1-9]\d{0,8}$/.test(text) ? Number(text) : 0;
    if (value < 1 || value > most) refuse(name, `must be a whole number from 1 to ${most}`);
    return value;
  };
  const search = query.get("search") ?? "";
  if (search.length > MAX_HOLDING_SEARCH)
    refuse("search", `must have at most ${MAX_HOLDING_SEARCH} characters`);
  const parsed = {
    search,
    page: number("page", 1, MAX_PAGE),
    pageSize: number("pageSize", HOLDINGS_PAGE, MAX_HOLDINGS_PAGE),
  };
  if (issues.length > 0) throw new ApiError("BAD_REQUEST", issues);
  return parsed;
}
