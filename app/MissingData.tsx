import type { Coverage } from "#lib/questions/coverage.ts";
import { terms } from "#terms";

/** Says what the operator has not loaded yet. Without it, every page lacks names and values. */
export function MissingData({ listsAssets, pricedAssets }: Pick<Coverage, "listsAssets" | "pricedAssets">) {
  const priced = pricedAssets > 0;
  const listed = listsAssets || !terms.hasTokens;
  if (listed && priced) return null;
  const missing = [!listed && "no asset registry", !priced && "no prices"].filter(Boolean).join(" and ");
  return (
    <p className="mt-3 text-text-2 text-xs">
      This server has {missing}. Its operator can load them:{" "}
      {!listed && (
        <>
          <code className="text-xs">aqs assets load</code> adds names, tags and icons
        </>
      )}
      {!listed && !priced && ", "}
      {!priced && (
        <>
          <code className="text-xs">aqs prices load</code> adds values in US dollars
        </>
      )}
      .
    </p>
  );
}
