import type { Metadata } from "next";
import { redirect } from "next/navigation";
import { terms } from "#chain/terms.ts";
import { Amount } from "#components/Amount.tsx";
import { CopyButton } from "#components/CopyButton.tsx";
import { Fact } from "#components/Fact.tsx";
import { ButtonLink } from "#components/Link.tsx";
import { PartialIndex } from "#components/PartialIndex.tsx";
import { Figure, Figures, MissingScope } from "#components/page-parts.tsx";
import type { ReceiptProps } from "#components/Receipt.tsx";
import { FactList } from "#components/ui/FactList.tsx";
import { MessagePage } from "#components/ui/MessagePage.tsx";
import { getService } from "#lib/api/service.ts";
import { namesakesOf, sharedAmong } from "#lib/client/chain-text.ts";
import {
  capitalised,
  countOf,
  cutAddress,
  cutToText,
  formatAmount,
  formatCount,
  formatUsd,
} from "#lib/client/format.ts";
import { HOLDINGS_PAGE } from "#lib/client/holdings.ts";
import { amountFormula, type ReceiptLine, tipLines } from "#lib/client/receipts.ts";
import { readView } from "#lib/client/url-state.ts";
import { toUnits, USD_DECIMALS } from "#lib/contract/amounts.ts";
import { isAddressError } from "#lib/contract/chain.ts";
import { PLAIN_OUTPUT } from "#lib/contract/ledger.ts";
import { shownHoldings } from "#lib/dashboard/holdings.ts";
import { type AddressOverview, addressOverview } from "#lib/questions/address-overview.ts";
import { contract as addressUtxos } from "#lib/questions/address-utxos/contract.ts";
import { capacityByKind } from "#lib/questions/address-utxos/states.ts";
import type { NamedAsset } from "#lib/questions/block-overview.ts";
import { type OutputAge, outputAges } from "#lib/questions/output-ages.ts";
import type { KindSum } from "#lib/questions/stored-kinds.ts";
import type { IndexTip, TokenRow } from "#lib/store/store.ts";
import { decodePart, requireCaller, type Search, searchText } from "../../caller.ts";
import { firstPage } from "../../first-page.ts";
import { AddressView, type Tab } from "./AddressView.tsx";
import type { ShownNative } from "./columns.tsx";
import { utxoList } from "./list.ts";
import { OutputsByAge } from "./OutputsByAge.tsx";
import { readChanges } from "./read-changes.ts";

interface Props {
  params: Promise<{ address: string }>;
  searchParams: Promise<Search>;
}

/** How much of a wrong address the page repeats. */
const SHOWN_UNITS = 256;

/** Holdings among which look-alikes are searched for; an address can hold any number. */
const HOLDINGS_COMPARED = 500;

const AGE_COLUMNS = 24;

async function addressOf(props: Props): Promise<string> {
  return decodePart((await props.params).address).trim();
}

export async function generateMetadata(props: Props): Promise<Metadata> {
  const text = await addressOf(props);
  return {
    title: `Address ${cutToText(cutAddress(text))} · UTXOs`,
    alternates: { canonical: `/addresses/${encodeURIComponent(text)}` },
  };
}

export default async function Page(props: Props) {
  const text = await addressOf(props);
  const search = await props.searchParams;
  const caller = await requireCaller(`/addresses/${encodeURIComponent(text)}${searchText(search)}`);
  const service = await getService();

  const address = await service.parseAddress(text).catch((error: unknown) => {
    if (isAddressError(error)) return error;
    throw error;
  });
  if (isAddressError(address)) {
    return (
      <MessagePage
        heading="Not an address of this chain"
        tone="bad"
        title={address.message}
        actions={<ButtonLink href="/">Look up another</ButtonLink>}
      >
        <p className="mono break-all">{text.slice(0, SHOWN_UNITS)}</p>
      </MessagePage>
    );
  }
  if (address.text !== text) {
    const note = address.formerForm === null ? {} : { was: address.formerForm };
    redirect(`/addresses/${address.text}${searchText({ ...search, ...note })}`);
  }
  if (!caller.scopes.includes(addressUtxos.scope)) return <MissingScope scope={addressUtxos.scope} />;

  const path = utxoList.pathOf(
    { address: text },
    readView(utxoList.fields, new URLSearchParams(searchText(search))),
  );
  const since = typeof search.since === "string" ? search.since : "";
  const [first, overview, byKind, ages, identity, changes] = await Promise.all([
    firstPage(service.operations.addressUtxos, caller, { address: address.text }, path),
    service.store.ask(addressOverview, {
      addressKey: address.key,
      limit: HOLDINGS_COMPARED,
    }),
    capacityByKind(service.store, address),
    service.store.ask(outputAges, { addressKey: address.key, ranges: AGE_COLUMNS }),
    service.identity(),
    since === "" ? null : readChanges(address.key, since),
  ]);
  const native = identity?.native ?? terms.native;
  const { formerAddressForms: notes } = terms;
  const note = typeof search.was === "string" && Object.hasOwn(notes, search.was) && notes[search.was];
  return (
    <>
      <h1 className="sr-only">Address {text}</h1>
      <div className="mb-1.5 flex items-start gap-2 sm:items-center">
        <p className="mono min-w-0 text-sm break-all" title="Address">
          {text.match(/.{1,8}/g)?.map((group, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a group is its place
            <span key={at}>
              {group}
              <wbr />
            </span>
          ))}
        </p>
        <CopyButton text={text} label="address">
          Copy
        </CopyButton>
      </div>
      {note && <p className="mb-3 text-text-2">{note}</p>}
      <PartialIndex tip={overview.tip} />
      <Summary address={text} overview={overview} byKind={byKind} native={native} />
      <AddressView
        holdings={{
          address: text,
          native,
          namesakes: sharedAmong(namesakesOf(overview.holdings.map(({ token }) => nameOf(token)))),
          first: {
            data: {
              result: shownHoldings(overview.holdings.slice(0, HOLDINGS_PAGE)),
              total: overview.tokenCount,
            },
            tip: overview.tip,
            requestId: "",
          },
        }}
        valueUsd={overview.valueUsd}
        outputCount={overview.outputCount}
        changes={changes}
        tabs={[
          {
            name: "lock",
            title: terms.lock,
            label: `${terms.lock}: ${address.lockName ?? "unknown"}`,
            content: (
              <FactList className="px-3 py-3">
                {address.lockFacts.map((fact) => (
                  <Fact key={fact.name} {...fact} tight />
                ))}
              </FactList>
            ),
          },
          ...ageTab(overview, ages),
        ]}
        first={first && { path, answer: first }}
      />
    </>
  );
}

/** Where a figure comes from. `query` is that of the API's request. */
const receiptsOf =
  (address: string, tip: IndexTip | null, query = "") =>
  (...lines: ReceiptLine[]): ReceiptProps => ({
    lines: [...lines, ...tipLines(tip)],
    requests: [`/v0/addresses/${address}/utxos${query}`],
    link: `/addresses/${address}`,
  });

interface SummaryProps {
  address: string;
  overview: AddressOverview;
  byKind: Awaited<ReturnType<typeof capacityByKind>>;
  native: ShownNative;
}

function Summary({ address, overview, byKind, native }: SummaryProps) {
  const { outputCount, tip, tokenCount, unpricedCount, valueUsd } = overview;
  const outputs = capitalised(terms.output.many);
  const unpriced = `${countOf(unpricedCount, "token")} unpriced`;
  const value = formatUsd(BigInt(valueUsd));
  const receipt = receiptsOf(address, tip);
  return (
    <Figures>
      <Figure
        name={outputs}
        receipt={receipt([outputs, String(outputCount), "entries of the list"])}
        note={tip && `as of block ${formatCount(tip.height)}`}
      >
        {formatCount(outputCount)}
      </Figure>
      <KindFigures address={address} native={native} {...byKind} />
      {tokenCount > unpricedCount ? (
        <Figure
          name="Estimated value, US dollars"
          note={unpricedCount > 0 ? `latest prices, ${unpriced}` : "latest prices"}
          receipt={{
            ...receipt([
              "Sum",
              `$${toUnits(valueUsd, USD_DECIMALS)}`,
              `over ${countOf(tokenCount - unpricedCount, "token")}: each amount × its latest price, cut at 8 decimals; Holdings has both`,
            ]),
            link: `/addresses/${address}?panel=holdings`,
          }}
        >
          <span title={value.exact}>{value.text}</span>
        </Figure>
      ) : (
        <Figure name="Estimated value, US dollars" note={tokenCount > 0 && unpriced}>
          —
        </Figure>
      )}
    </Figures>
  );
}

type KindFiguresProps = Pick<SummaryProps, "address" | "native"> & SummaryProps["byKind"];

/** The capacity of plain outputs, and that of all others by their kind. */
function KindFigures({ address, native: { symbol, decimals }, tip, kinds }: KindFiguresProps) {
  const [plainName, otherName] = [`Plain ${symbol}`, `Other ${symbol}`];
  if (!kinds) {
    return [plainName, otherName].map((name) => (
      <Figure key={name} name={name} note={`too many ${terms.output.many} to tell`}>
        —
      </Figure>
    ));
  }
  const sums = Map.groupBy(kinds, ({ kind }) =>
    kind === PLAIN_OUTPUT ? kind : (terms.outputKind(kind)?.label ?? "Not known"),
  );
  const sumOf = (some: KindSum[]) => some.reduce((sum, { capacity }) => sum + BigInt(capacity), 0n);
  const all = sumOf(kinds);
  const plain = sumOf(sums.get(PLAIN_OUTPUT) ?? []);
  sums.delete(PLAIN_OUTPUT);
  const exact = (capacity: bigint) => formatAmount(capacity, decimals).exact;
  const receipt = receiptsOf(address, tip, "?include=kind");
  const lines = [...sums].map(([label, some]): ReceiptLine => {
    const outputs = some.reduce((count, { outputCount }) => count + outputCount, 0);
    return [label, amountFormula(sumOf(some), decimals), countOf(outputs, terms.output.one)];
  });
  return (
    <>
      <Figure
        name={plainName}
        receipt={receipt([
          "Sum",
          amountFormula(plain, decimals),
          `the capacity of plain ${terms.output.many}`,
        ])}
        note={`of ${exact(all)} ${symbol} in all`}
      >
        <Amount amount={plain} decimals={decimals} />
      </Figure>
      <Figure
        name={otherName}
        receipt={receipt(
          ["Sum", amountFormula(all - plain, decimals), `the capacity of all other ${terms.output.many}`],
          ...lines,
        )}
        note={[...sums].map(([label, some]) => `${label} ${exact(sumOf(some))}`).join(" · ")}
      >
        <Amount amount={all - plain} decimals={decimals} />
      </Figure>
    </>
  );
}

/** A single output has no ages to compare. */
function ageTab({ outputCount }: AddressOverview, ages: OutputAge[] | null): Tab[] {
  if (outputCount < 2) return [];
  const title = `${capitalised(terms.output.many)} by age`;
  return [{ name: "age", title, content: <OutputsByAge title={title} ages={ages} /> }];
}

/** What decides which tokens may be mistaken for one another. */
function nameOf({ id, name, symbol, decimals, public: listed }: TokenRow): NamedAsset {
  return { id, name, symbol, decimals, public: listed };
}
