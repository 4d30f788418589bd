import { toUnits, USD_DECIMALS } from "#lib/contract/amounts.ts";
import type { TokenInfo } from "#lib/contract/endpoints.ts";
import { outPointText } from "#lib/contract/ledger.ts";
import type { AssetChangePage, UtxoPage } from "#lib/store/store.ts";

/*
 * Bodies are written straight as text: the same JSON that the contract's schemas describe (a test holds the
 * two together), a few times faster than building objects, and with numbers that no float ever touched.
 * Amounts and hashes consist of digits, so only free text needs escaping.
 */

/** The body of the UTXO list. A token stands in many rows and is written once. */
export function encodeUtxos(page: UtxoPage, lastCursor: string): string {
  const heads = new Map<TokenInfo, string>();
  const entries = page.rows.map((row) => {
    let head = heads.get(row.token);
    if (head === undefined) {
      head = `{"token":${JSON.stringify(row.token.id)},"tokenInfo":${JSON.stringify(row.token)}`;
      heads.set(row.token, head);
    }
    return `${head},"blockHeight":${row.height},"outPoint":"${outPointText(row)}","amount":"${row.amount}","capacity":"${row.capacity}"}`;
  });
  return `{"result":[${entries.join(",")}],"hasNext":${page.hasNext},"lastCursor":"${lastCursor}"}`;
}

/** The body of the asset changes: `amount` and `amountUsd` are JSON numbers with all their digits. */
export function encodeAssetChanges(page: AssetChangePage): string {
  const entries = page.rows.map(
    (row) =>
      `{"amount":${row.amount},"amountUsd":${toUnits(row.amountUsd, USD_DECIMALS)},"asset":${JSON.stringify(row.asset)},"tags":${JSON.stringify(row.tags)}}`,
  );
  return `{"result":[${entries.join(",")}],"total":${page.total}}`;
}
