import type { Metadata } from "next";
import { redirect } from "next/navigation";
import { CopyButton } from "#components/CopyButton.tsx";
import { Cut } from "#components/Cut.tsx";
import { Link } from "#components/Link.tsx";
import { ApiButton } from "#components/list/Toolbar.tsx";
import { PartialIndex } from "#components/PartialIndex.tsx";
import { MissingScope } from "#components/page-parts.tsx";
import { ReplacedNews } from "#components/ReplacedNews.tsx";
import { Fold } from "#components/ui/Fold.tsx";
import { MessagePage } from "#components/ui/MessagePage.tsx";
import { Segments } from "#components/ui/Segments.tsx";
import { Tabs } from "#components/ui/Tabs.tsx";
import { getService } from "#lib/api/service.ts";
import { createFlagger, displaySymbol, markedAmount, symbolAndId } from "#lib/client/chain-text.ts";
import { detect } from "#lib/client/detect.ts";
import { countOf, cutId, cutToText, cutTransactionHash, formatCount, formatUsd } from "#lib/client/format.ts";
import { transactionPath } from "#lib/client/paths.ts";
import { urlOf } from "#lib/client/request.ts";
import { choiceField, NO_PLACE, pageField, readView, textField } from "#lib/client/url-state.ts";
import { isApiError } from "#lib/contract/errors.ts";
import { namesakesAmong } from "#lib/dashboard/namesakes.ts";
import { blockNamed } from "#lib/queries/block/read.ts";
import { chainTip } from "#lib/queries/chain.ts";
import { orNotKept } from "#lib/queries/named-block.ts";
import { contract, type Transaction } from "#lib/queries/transaction/contract.ts";
import { type TransactionOverview, transactionOverview } from "#lib/queries/transaction-overview.ts";
import type { AccessToken } from "#lib/store/rows.ts";
import type { Store } from "#lib/store/store.ts";
import { decodePart } from "#lib/util/paths.ts";
import { terms } from "#terms";
import { BlockState, BlockTime } from "../../blocks/[blockHash]/BlockLine.tsx";
import { PAGE_HEAD, PAGE_TITLE } from "../../blocks/[blockHash]/Headline.tsx";
import { requireCaller, searchText } from "../../caller.ts";
import { readPage } from "../../first-page.ts";
import { AssetTable } from "./AssetTable.tsx";
import { Drawing } from "./Drawing.tsx";
import { Entries } from "./Entries.tsx";
import { type Measure, paymentsOf, sizeOf } from "./flows.ts";
import { MarkedOutput } from "./MarkedOutput.tsx";
import { NoTransaction } from "./NoTransaction.tsx";
import { Sentence } from "./Sentence.tsx";

type Props = PageProps<"/transactions/[hash]">;

const fields = {
  tab: choiceField(["assets", "inputs", "outputs"]),
  /** The asset that the drawing measures; `""` for the value of all. */
  asset: textField,
  /** Whether a drawing with many rows is cut. */
  drawing: choiceField(["", "whole"]),
  /** Index of an output to mark in the list. */
  output: textField,
  /** Page of the table of assets. */
  page: pageField,
};

const VALUED = "value=usd&include=kind";
/** Reads the first inputs or outputs. The drawing and the sentence are made from them. */
const FIRST = `${VALUED}&pageSize=1000`;
/** Outputs that are listed of a transaction whose block is not indexed. */
const KNOWN_OUTPUTS = 20;
/** Assets that the drawing offers beside the value. */
const CHOICES = 8;

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const detected = detect(decodePart((await params).hash));
  if (detected.kind !== "block-hash") return { title: "Transaction" };
  return {
    title: `Transaction ${cutToText(cutTransactionHash(detected.hash))}`,
    alternates: { canonical: transactionPath(detected.hash) },
  };
}

/** Shows what a transaction moved as a sentence, as a drawing and in lists. */
export default async function Page({ params, searchParams }: Props) {
  const given = (await params).hash;
  const search = searchText(await searchParams);
  const caller = await requireCaller(transactionPath(given) + search);
  if (!caller.scopes.includes(contract.scope)) return <MissingScope scope={contract.scope} />;
  const detected = detect(decodePart(given));
  const { store, identity } = await getService();
  if (detected.kind !== "block-hash") {
    return <NoTransaction hash={null} tip={await store.query(chainTip)} known={null} />;
  }
  const { hash } = detected;
  if (hash !== given) redirect(transactionPath(hash) + search);
  const { tab, asset, drawing, output, page } = readView(fields, new URLSearchParams(search));

  const found = await orNotKept(readWhole(caller, hash)).catch((error: unknown) => {
    if (isApiError(error) && error.code === "NOT_FOUND") return null;
    throw error;
  });
  if (!found) {
    const known = await knownOutputs(store, hash, /^\d{1,10}$/.test(output) ? Number(output) : 0);
    return <NoTransaction hash={hash} tip={await store.query(chainTip)} known={known} />;
  }
  if ("fault" in found) {
    return (
      <MessagePage heading="Transaction" title="This transaction is no longer available">
        {found.fault}
      </MessagePage>
    );
  }
  const { transaction, block, tip, inputs, outputs, transactionCount } = found;
  const { inputCount, outputCount, assets, moreAssets, index } = transaction;
  const known = await identity();
  const native = assets.find(({ token }) => token === (known?.native ?? terms.native).id)?.tokenInfo;
  const nativeId = native?.id ?? terms.native.id;
  const namesakes = await namesakesAmong(
    store,
    assets.map(({ tokenInfo }) => tokenInfo),
  );
  const surroundings = { native: native ?? terms.native, ...namesakes };
  const flagsOf = createFlagger(surroundings);

  const kinds = new Map([...inputs, ...outputs].map(({ token, kind = "" }) => [token, kind]));
  const isRead = { inputs: inputs.length === inputCount, outputs: outputs.length === outputCount };
  const isWhole = isRead.inputs && isRead.outputs;
  const areKnown = inputs.every(({ amount }) => amount !== "");
  // Only the outputs have what is minted, and only the inputs what is burnt.
  const [took, gave] = [inputs, outputs].map((entries) => sizeOf(entries, "value", nativeId)) as [
    bigint,
    bigint,
  ];
  const moved = areKnown && took > gave ? took : gave;
  const chosen = assets.find(({ token }) => token === asset) ?? (moved === 0n ? assets[0] : undefined);
  const measure: Measure = chosen ? { assetId: chosen.token } : "value";
  const assetCount = assets.length + moreAssets;
  const named = assets.filter(({ tokenInfo }) => tokenInfo.symbol + tokenInfo.name !== "");
  const offered = (named.length > 0 ? named : assets).slice(0, CHOICES);
  // The table links to the drawing of the others.
  if (chosen && !offered.includes(chosen)) offered.push(chosen);
  const bySymbol = Map.groupBy(offered, ({ tokenInfo }) => displaySymbol(tokenInfo));
  const choices = [
    ...(moved > 0n ? [{ title: "Value", href: { asset: "" }, current: !chosen }] : []),
    ...[...bySymbol].flatMap(([symbol, alike]) =>
      alike.map(({ token }) => ({
        title: alike.length === 1 ? symbol : `${symbol} ${cutToText(cutId(token))}`,
        href: { asset: token },
        current: chosen?.token === token,
      })),
    ),
  ];
  const tabs = [
    { name: "assets", title: "By asset", count: assetCount },
    { name: "inputs", title: "Inputs", count: inputCount },
    { name: "outputs", title: "Outputs", count: outputCount },
  ].map(({ name, title, count }) => ({
    title,
    count: formatCount(count),
    href: { tab: name === "assets" ? "" : name, ...NO_PLACE, page: "" },
    current: name === tab,
  }));
  return (
    <>
      <PartialIndex tip={tip} />
      <p className="flex flex-wrap items-center gap-x-2 text-text-2">
        <Cut parts={cutTransactionHash(hash)} title={terms.hashText(hash)} />
        <CopyButton className="-my-1.5" text={terms.hashText(hash)} label="transaction hash" />
        <span>
          Transaction {formatCount(index + 1)}
          {transactionCount !== undefined && ` of ${formatCount(transactionCount)}`} in{" "}
          <Link href={`/blocks/${block.hash}`} className="underline">
            block {formatCount(block.height)}
          </Link>{" "}
          · <BlockTime time={block.timestamp} />
        </span>
        {tip && <BlockState block={{ ...block, tip }} />}
      </p>
      {tip && <ReplacedNews block={{ ...block }} readAt={tip.hash} of="which this transaction was in" />}
      <MarkedOutput hash={hash} count={outputCount} />
      <div className={PAGE_HEAD}>
        <h1 className={PAGE_TITLE}>
          Moved <bdi>{whatMoved(transaction, isWhole ? moved : 0n)}</bdi>
          {isWhole && moved > 0n && (
            <span className="font-normal text-base text-text-2 tracking-normal"> at the latest prices</span>
          )}
        </h1>
        <Sentence
          transaction={transaction}
          kinds={kinds}
          payments={isWhole && areKnown ? paymentsOf(inputs, outputs, nativeId) : null}
          native={native ?? { ...terms.native, name: "" }}
          flagsOf={flagsOf}
        />
        {inputCount > 0 && (
          <Fold label="Drawing">
            <section aria-label="From inputs to outputs" className="mt-4">
              {choices.length > 1 && (
                <Segments label="What the drawing measures" choices={choices} keepsFragment />
              )}
              <Drawing
                inputs={inputs}
                outputs={outputs}
                counts={{ inputs: inputCount, outputs: outputCount }}
                isKnown={{ ...isRead, inputs: isRead.inputs && areKnown }}
                measure={measure}
                measured={chosen?.tokenInfo}
                native={native ?? { ...terms.native, name: "" }}
                flagsOf={flagsOf}
                isWhole={drawing === "whole"}
              />
            </section>
          </Fold>
        )}
      </div>
      <section className="mt-8 max-sm:mt-2" id={tab === "assets" ? "results" : undefined}>
        {tab === "assets" ? (
          <>
            <Tabs label="Parts of this transaction" tabs={tabs}>
              <ApiButton query={urlOf("/v0/transactions/{hash}", { hash }, {})} />
            </Tabs>
            <AssetTable
              assets={assets}
              more={moreAssets}
              page={page}
              kinds={kinds}
              flagsOf={flagsOf}
              fee={transaction.fee}
              hasDrawLinks={inputCount > 0 && assets.length > offered.length}
            />
          </>
        ) : (
          <Entries
            key={tab + output}
            hash={hash}
            side={tab}
            total={tab === "inputs" ? inputCount : outputCount}
            marked={output === "" ? undefined : `${hash}:${output}`}
            surroundings={surroundings}
            tip={tip}
            tabs={tabs}
          />
        )}
      </section>
    </>
  );
}

/** Maximum number of attempts to read a transaction while reorganisations replace its block. */
const MAX_READS = 3;

/** Reads a transaction, and the first of its inputs and outputs. Throws as the operations do. */
async function readWhole(caller: AccessToken, hash: string) {
  const { operations, store } = await getService();
  for (let attempt = 1; ; attempt++) {
    try {
      const { page, data: transaction } = await readPage(operations.transaction, caller, { hash });
      const { block, tip } = page;
      const [inputs, outputs, counted] = await Promise.all([
        readPage(operations.transactionInputs, caller, { hash }, FIRST),
        readPage(operations.transactionOutputs, caller, { hash }, FIRST),
        store.query(blockNamed, { hash: block.hash }),
      ]);
      return {
        transaction,
        block,
        tip,
        inputs: inputs.data.result,
        outputs: outputs.data.result,
        transactionCount: counted.block.transactionCount,
      };
    } catch (error) {
      const isReplaced = isApiError(error) && error.code === "SERVICE_UNAVAILABLE";
      if (!isReplaced || attempt === MAX_READS) throw error;
    }
  }
}

/**
 * Outputs of a transaction whose block is not indexed: those from an index on, or else the first; null if none are stored.
 */
async function knownOutputs(store: Store, hash: string, from: number): Promise<TransactionOverview | null> {
  const known = await store.query(transactionOverview, { hash, from, limit: KNOWN_OUTPUTS });
  if (!known || known.place) return null;
  if (known.outputs.length > 0) return known;
  return from > 0 ? knownOutputs(store, hash, 0) : null;
}

/** The value and the number of assets; without a value the amount of the only asset. `usd` is 0 if the value is unknown. */
function whatMoved({ assets, moreAssets }: Transaction, usd: bigint): string {
  if (assets.length === 0) return "nothing";
  const count = countOf(assets.length + moreAssets, "asset");
  if (usd > 0n) return `${formatUsd(usd).text} in ${count}`;
  const [only] = assets;
  if (!only || assets.length + moreAssets > 1) return count;
  return `${markedAmount(only.out, only.tokenInfo).text} ${symbolAndId(only.tokenInfo)}`;
}
