import { AssetIcon } from "#components/AssetLabel.tsx";
import { coloursFor, REST_COLOUR } from "#components/asset-colour.ts";
import { isSeen, REST, type Share, ShareLine, shareInUsd } from "#components/charts/ShareBar.tsx";
import { Link } from "#components/Link.tsx";
import { createFlagger, displaySymbol, type Namesakes } from "#lib/client/chain-text.ts";
import { countOf, formatCount, formatUsd, type Shares } from "#lib/client/format.ts";
import { shownAsset } from "#lib/dashboard/home.ts";
import type { AddressOverview, Holding } from "#lib/queries/address-overview.ts";
import { terms } from "#terms";
import type { ShownNative } from "./columns.tsx";
import { OTHER_TAB } from "./view.ts";

interface Props {
  overview: AddressOverview;
  shares: Shares;
  namesakes: Namesakes;
  native: ShownNative;
}

/** Holdings that are shown individually. */
const SHOWN = 5;

const worthOf = ({ valueUsd }: Holding): bigint => BigInt(valueUsd ?? 0);
const sumOf = (holdings: readonly Holding[]): bigint => holdings.reduce((sum, one) => sum + worthOf(one), 0n);

/** The shares of the value: the largest holdings, and separately those with misleading names. */
export function Composition({ overview, shares, namesakes, native }: Props) {
  const { holdings, tokenCount, unpricedCount, valueUsd } = overview;
  if (!terms.hasTokens) return null;
  const flagsOf = createFlagger({ native, ...namesakes });
  const isFlagged = ({ token }: Holding) => flagsOf(token).some(({ strong }) => strong);
  const flagged = holdings.filter(isFlagged);
  const whole = BigInt(valueUsd);
  const largest = holdings
    .filter((one) => !isFlagged(one))
    .slice(0, SHOWN)
    .filter((one) => isSeen(worthOf(one), whole));
  const flaggedValue = sumOf(flagged);
  const pricedFlagged = flagged.filter((one) => one.valueUsd !== null).length;
  const more = tokenCount - unpricedCount - pricedFlagged - largest.length;
  const rest = whole - sumOf(largest) - flaggedValue;
  const colourOf = coloursFor(largest.map(({ token }) => token.id));
  const sumPart = (key: string, name: string, amount: bigint, more: Partial<Share> = {}) =>
    shareInUsd(key, name, amount, {
      ...more,
      colour: REST_COLOUR,
      label: (
        <Link href={{ ...OTHER_TAB, tab: "holdings" }} className="text-text">
          {name}
        </Link>
      ),
    });
  const parts = largest.map((one) => {
    const { token } = one;
    const symbol = displaySymbol(token);
    const colour = colourOf(token.id);
    const [asset, flags] = [shownAsset(token), flagsOf(token)];
    return shareInUsd(token.id, symbol, worthOf(one), {
      colour,
      asset: { asset, flags },
      icon: <AssetIcon asset={asset} flags={flags} swatch={colour} />,
      label: (
        <Link href={{ ...OTHER_TAB, tab: "", token: token.id }} className="text-text">
          <bdi>{symbol}</bdi>
        </Link>
      ),
    });
  });
  if (more > 0) parts.push(sumPart(REST, `${formatCount(more)} more`, rest));
  if (flaggedValue > 0n) {
    const members = flagged.map((one) => [one.token.id, worthOf(one)] as const);
    parts.push(sumPart("flagged", `${formatCount(flagged.length)} flagged`, flaggedValue, { members }));
  }
  const among = holdings.length < tokenCount ? `the ${formatCount(holdings.length)} largest of ` : "";
  const [unpriced, suspect] = [unpricedCount > 0, flagged.length > 0];
  return (
    <section aria-label="Composition" className="mt-2">
      <ShareLine title="The largest holdings" parts={whole > 0n ? parts : []} shares={shares}>
        {(unpriced || suspect) && (
          <Link href={{ ...OTHER_TAB, tab: "holdings" }} className="-my-0.5 py-0.5 text-text-2">
            {unpricedCount === tokenCount && "No asset here has a price"}
            {unpriced &&
              unpricedCount < tokenCount &&
              `${countOf(unpricedCount, "token")} ${unpricedCount === 1 ? "has" : "have"} no price`}
            {unpriced && suspect && ", "}
            {suspect &&
              `${formatCount(flagged.length)} of ${among}${countOf(tokenCount, "token")} flagged${flaggedValue > 0n ? `, worth ${formatUsd(flaggedValue).text} of the ${formatUsd(whole).text}` : ""}`}
          </Link>
        )}
      </ShareLine>
    </section>
  );
}
