import { terms } from "#chain/terms.ts";
import { Cut } from "#components/Cut.tsx";
import { Link } from "#components/Link.tsx";
import { PartialIndex } from "#components/PartialIndex.tsx";
import { RecentLookups } from "#components/Recent.tsx";
import { SearchBox } from "#components/SearchBox.tsx";
import { Notice } from "#components/ui/Notice.tsx";
import { Panel } from "#components/ui/Panel.tsx";
import { getService } from "#lib/api/service.ts";
import { countOf, cutAddress, cutHash, formatCount } from "#lib/client/format.ts";
import { newestBlocks } from "#lib/dashboard/latest-blocks.ts";
import { chainStatus } from "#lib/dashboard/status.ts";
import { contract as blockAssetChanges } from "#lib/questions/block-asset-changes/contract.ts";
import { dataCoverage } from "#lib/questions/coverage.ts";
import { CatchingUp } from "./CatchingUp.tsx";
import { requireCaller } from "./caller.ts";
import { examplesFor } from "./examples.ts";
import { LatestBlocks } from "./LatestBlocks.tsx";
import { MissingData } from "./MissingData.tsx";

const EXAMPLES = 3;

export default async function Page() {
  const caller = await requireCaller("/");
  const service = await getService();
  const mayReadBlocks = caller.scopes.includes(blockAssetChanges.scope);
  const [coverage, examples, status, blocks] = await Promise.all([
    service.store.ask(dataCoverage),
    examplesFor(caller, EXAMPLES),
    chainStatus(service),
    mayReadBlocks ? newestBlocks(service) : [],
  ]);
  const { tip, lowestHeight, tokens, pricedAssets } = coverage;
  const shown = [
    ...examples.addresses.map(({ text, outputs }, at) => ({
      href: `/addresses/${text}`,
      kind: "Address",
      parts: cutAddress(text),
      why: countOf(outputs, terms.output) + (at === 0 ? ": the most of the recently active ones" : ""),
    })),
    ...examples.blocks.map(({ hash, height, changes }, at) => ({
      href: `/blocks/${hash}`,
      kind: `Block ${formatCount(height)}`,
      parts: cutHash(hash),
      why: `${countOf(changes, "asset")} moved${at === 0 ? ": the most of the recent blocks" : ""}`,
    })),
  ];
  return (
    <div className="mx-auto max-w-6xl py-6 sm:py-10" id="results">
      <div className="mx-auto max-w-3xl">
        <h1 className="font-semibold text-lg">Look up an address or a block</h1>
        <p className="mt-1 mb-5 text-text-2">
          What every address on {terms.chain} holds, {terms.output.one} by {terms.output.one}, and which
          assets each block moved: exact, and as of a block.
        </p>
        <SearchBox variant="page" />
        <RecentLookups />
      </div>
      {tip === null ? (
        <div className="mx-auto mt-6 max-w-3xl">
          <Notice tone="neutral" title="Nothing indexed yet">
            This server's database is empty. Import blocks or follow a node, then reload.
          </Notice>
        </div>
      ) : (
        <>
          <div className="mx-auto mt-6 max-w-3xl empty:hidden">
            <PartialIndex tip={tip} />
            <CatchingUp initial={status} />
          </div>
          <div className="mt-8 grid grid-cols-[minmax(0,1fr)] items-start gap-x-8 gap-y-6 lg:grid-cols-[minmax(0,1fr)_24rem]">
            {blocks.length > 0 && <LatestBlocks first={blocks} />}
            <div>
              <section aria-labelledby="examples">
                <h2 id="examples" className="mb-2 flex min-h-8 items-center font-semibold max-sm:min-h-11">
                  Examples
                </h2>
                <Panel as="ul" className="divide-y divide-border">
                  {shown.map(({ href, kind, parts, why }) => (
                    <li key={href}>
                      <Link
                        href={href}
                        className="flex min-h-11 flex-wrap items-center gap-x-3 px-3 py-2 text-text no-underline hover:bg-sunken"
                      >
                        <span className="text-text-2">{kind}</span>
                        <span className="text-accent">
                          <Cut parts={parts} />
                        </span>
                        <span className="w-full text-text-2 text-xs">{why}</span>
                      </Link>
                    </li>
                  ))}
                </Panel>
              </section>
              <dl className="mt-6 grid grid-cols-3 gap-4">
                <Fact name="Indexed tip">{formatCount(tip.height)}</Fact>
                <Fact name="First block">{formatCount(lowestHeight ?? 0)}</Fact>
                <Fact name="Known assets">
                  {formatCount(tokens)}
                  {pricedAssets > 0 && (
                    <span className="block text-text-3 text-xs">
                      {formatCount(pricedAssets)} with a price
                    </span>
                  )}
                </Fact>
              </dl>
              <MissingData {...coverage} />
            </div>
          </div>
        </>
      )}
    </div>
  );
}

function Fact({ name, children }: { name: string; children: React.ReactNode }) {
  return (
    <div className="border-border border-t pt-2">
      <dt className="text-text-2 text-xs">{name}</dt>
      <dd className="text-base">{children}</dd>
    </div>
  );
}
