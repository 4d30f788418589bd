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
import { requireCaller } from "./caller.ts";
import { examplesFor } from "./examples.ts";

const EXAMPLES = 3;

export default async function Page() {
  const caller = await requireCaller("/");
  const { store } = await getService();
  const [coverage, examples] = await Promise.all([store.coverage(), examplesFor(caller, EXAMPLES)]);
  const { tip, lowestHeight, tokens, pricedAssets } = coverage;
  return (
    <div className="mx-auto max-w-3xl py-6 sm:py-14" id="results">
      <h1 className="mb-6 font-semibold text-lg">Look up an address or a block</h1>
      <SearchBox variant="page" autoFocus />
      <RecentLookups />
      {tip === null ? (
        <Notice tone="neutral" title="Nothing indexed yet">
          This server's database is empty. Import blocks or follow a node, then reload.
        </Notice>
      ) : (
        <>
          <div className="mt-6 empty:hidden">
            <PartialIndex tip={tip} />
          </div>
          <section aria-labelledby="examples" className="mt-6">
            <h2 id="examples" className="mb-2 font-semibold">
              Examples
            </h2>
            <Panel as="ul" className="divide-y divide-border">
              {examples.addresses.map(({ text, outputs }) => (
                <Example
                  key={text}
                  href={`/addresses/${text}`}
                  kind="Address"
                  fact={countOf(outputs, terms.output)}
                >
                  <Cut parts={cutAddress(text)} />
                </Example>
              ))}
              {examples.blocks.map(({ hash, height, changes }) => (
                <Example
                  key={hash}
                  href={`/blocks/${hash}`}
                  kind={`Block ${formatCount(height)}`}
                  fact={countOf(changes, "asset")}
                >
                  <Cut parts={cutHash(hash)} />
                </Example>
              ))}
            </Panel>
          </section>
          <dl className="mt-8 grid gap-4 sm:grid-cols-3">
            <Fact name="Indexed tip">{formatCount(tip.height)}</Fact>
            <Fact name="First indexed block">{formatCount(lowestHeight ?? 0)}</Fact>
            <Fact name="Known assets">
              {formatCount(tokens)}
              <span className="block text-text-3 text-xs">prices for {formatCount(pricedAssets)}</span>
            </Fact>
          </dl>
        </>
      )}
    </div>
  );
}

function Example(props: { href: string; kind: string; fact: string; children: React.ReactNode }) {
  return (
    <li>
      <Link
        href={props.href}
        className="flex min-h-11 flex-wrap items-center gap-x-3 px-3 py-2 text-text no-underline hover:bg-sunken"
      >
        <span className="w-36 text-text-2">{props.kind}</span>
        <span className="text-accent">{props.children}</span>
        <span className="ml-auto text-text-2">{props.fact}</span>
      </Link>
    </li>
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
