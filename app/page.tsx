import { Fragment, type ReactNode, Suspense } from "react";
import { Address } from "#components/Address.tsx";
import { Link } from "#components/Link.tsx";
import { PartialIndex } from "#components/PartialIndex.tsx";
import { SearchBox } from "#components/SearchBox.tsx";
import { Notice } from "#components/ui/Notice.tsx";
import { Section } from "#components/ui/Section.tsx";
import { Segments } from "#components/ui/Segments.tsx";
import { getService, type Service } from "#lib/api/service.ts";
import { countOf, formatCount } from "#lib/client/format.ts";
import { countIn, isPeriod, type Period } from "#lib/client/home.ts";
import { moved, newest, newestBlocks } from "#lib/dashboard/home.ts";
import { chainStatus } from "#lib/dashboard/status.ts";
import { contract as addressUtxos } from "#lib/queries/address-utxos/contract.ts";
import { contract as blockAssetChanges } from "#lib/queries/block-asset-changes/contract.ts";
import { type Coverage, dataCoverage } from "#lib/queries/coverage.ts";
import { terms } from "#terms";
import { CatchingUp } from "./CatchingUp.tsx";
import { dataVersion, requireCaller, searchText } from "./caller.ts";
import { examplesFor } from "./examples.ts";
import { LatestBlocks } from "./LatestBlocks.tsx";
import { MovedMost } from "./MovedMost.tsx";
import { NewestAssets } from "./NewestAssets.tsx";
import { Pulse } from "./Pulse.tsx";
import { RecentAddresses } from "./RecentAddresses.tsx";

const EXAMPLES = 3;
const PERIOD_TITLES: Record<Period, string> = { "1h": "1 h", "24h": "24 h", "7d": "7 d" };

export default async function Page({ searchParams }: PageProps<"/">) {
  const search = await searchParams;
  const caller = await requireCaller(`/${searchText(search)}`);
  const period = isPeriod(search.moved) ? search.moved : "1h";
  const service = await getService();
  const mayReadBlocks = caller.scopes.includes(blockAssetChanges.scope);
  const [coverage, examples, status, blocks] = await Promise.all([
    service.store.query(dataCoverage),
    examplesFor(caller, EXAMPLES),
    chainStatus(service),
    mayReadBlocks ? newestBlocks(service, await dataVersion()) : null,
  ]);
  const { tip } = coverage;
  const isWhole = tip?.coverage === undefined;
  const newAssets = terms.hasTokens && (
    <Section key="assets" title={isWhole ? "Newest assets" : "Recently indexed assets"}>
      <div className="min-h-66">
        <Later read={newest}>{(assets) => <NewestAssets assets={assets} isWhole={isWhole} />}</Later>
      </div>
    </Section>
  );
  const recent = (
    <div key="recent" className="lg:min-h-66">
      {caller.scopes.includes(addressUtxos.scope) ? (
        <RecentAddresses instead={<Examples examples={examples} />} />
      ) : (
        <Examples examples={examples} />
      )}
    </div>
  );
  const movements = blocks && terms.hasTokens && coverage.pricedAssets > 0 && (
    <Section
      key="moved"
      title="Moved most"
      aside={
        <Segments
          label="Moved most in"
          choices={Object.entries(PERIOD_TITLES).map(([each, title]) => {
            return { href: each === "1h" ? "/" : `/?moved=${each}`, title, current: each === period };
          })}
        />
      }
    >
      <div className="min-h-108 sm:min-h-73">
        <Later key={period} read={moved[period]}>
          {(first) => first && <MovedMost period={period} first={first} blocks={blocks} />}
        </Later>
      </div>
    </Section>
  );
  // The latest blocks always end the first row.
  const [first, ...others] = [movements, newAssets, recent].filter(Boolean);
  return (
    <div id="results" className="grid grid-cols-[minmax(0,1fr)] gap-y-8 pb-4 sm:gap-y-10 sm:pt-4">
      <div className="text-center">
        <h1 className="font-bold text-xl text-balance sm:text-2xl">Who holds what? What moved?</h1>
        <p className="mt-1 mb-4 text-balance text-text-2 sm:mt-2 sm:mb-5 sm:text-lg">
          Every {terms.output.one} of every address on {terms.chain}, and{" "}
          {terms.hasTokens ? "every asset that a block moved" : "what each block moved"}. Exact, at any block.
        </p>
        <div className="mx-auto max-w-180">
          <SearchBox variant="page" />
        </div>
        <div className="mx-auto mt-4 max-w-180 text-left empty:hidden">
          {tip === null && (
            <Notice title="Nothing indexed yet">
              This server's database is empty. Import blocks or follow a node, then reload.
            </Notice>
          )}
          <PartialIndex tip={tip} />
          <CatchingUp initial={status} />
        </div>
      </div>
      {tip !== null && (
        <>
          {blocks && <Pulse first={blocks} />}
          <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-x-16 gap-y-12 lg:grid-cols-[minmax(0,1fr)_380px]">
            {first}
            {blocks && <LatestBlocks first={blocks} />}
            {others}
          </div>
          <Facts {...coverage} />
        </>
      )}
    </div>
  );
}

interface LaterProps<Value> {
  read: (service: Service, version: string | null) => Promise<Value>;
  children: (value: Value) => ReactNode;
}

/** A part that is slow to read. It arrives after the rest of the page, which it does not affect if it fails. */
function Later<Value>(props: LaterProps<Value>) {
  return (
    <Suspense>
      <Part {...props} />
    </Suspense>
  );
}

async function Part<Value>({ read, children }: LaterProps<Value>) {
  const service = await getService();
  try {
    return children(await read(service, await dataVersion()));
  } catch (error) {
    service.failureOf(error, { path: "/" });
    return <p className="py-3 text-text-2">This part could not be loaded. Reload the page to try again.</p>;
  }
}

type Examples = Awaited<ReturnType<typeof examplesFor>>;

function Examples({ examples: { addresses, blocks } }: { examples: Examples }) {
  return (
    <Section title="Examples">
      <ul className="divide-y">
        {addresses.map(({ text, outputs }) => (
          <Example key={text} href={`/addresses/${text}`} why={countOf(outputs, terms.output)}>
            <span className="sr-only">Address </span>
            <Address address={text} narrows />
          </Example>
        ))}
        {blocks.map((block) => (
          <Example key={block.hash} href={`/blocks/${block.hash}`} why={countIn(block)}>
            Block {formatCount(block.height)}
          </Example>
        ))}
      </ul>
    </Section>
  );
}

function Example({ href, why, children }: { href: string; why: string; children: ReactNode }) {
  return (
    <li className="flex min-h-11 items-center justify-between gap-4">
      <Link href={href} className="inline-flex min-h-11 items-center text-text">
        {children}
      </Link>
      <span className="whitespace-nowrap text-text-2">{why}</span>
    </li>
  );
}

/** The extent of the index, and what the operator has yet to load so that pages have names and values. */
function Facts({ tip, lowestHeight, tokens, listsAssets, pricedAssets }: Coverage) {
  const missing = [
    terms.hasTokens &&
      !listsAssets && { lack: "no asset registry", load: "assets", adds: "names, tags and icons" },
    pricedAssets === 0 && { lack: "no prices", load: "prices", adds: "values in US dollars" },
  ].filter((one) => one !== false);
  return (
    <div className="text-text-3 text-xs">
      <p>
        Indexed from block {formatCount(lowestHeight ?? 0)}
        {tip?.coverage?.includes(",") && ", with gaps"}
        {terms.hasTokens && `, ${countOf(tokens, "asset")}, ${formatCount(pricedAssets)} with a price`}.
      </p>
      {missing.length > 0 && (
        <p className="mt-3 text-text-2">
          This server has {missing.map(({ lack }) => lack).join(" and ")}. Its operator can load them:{" "}
          {missing.map(({ load, adds }, at) => (
            <Fragment key={load}>
              {at > 0 && ", "}
              <code className="text-xs">aqs {load} load</code> adds {adds}
            </Fragment>
          ))}
          .
        </p>
      )}
    </div>
  );
}
