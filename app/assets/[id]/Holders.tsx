"use client";

import { useRouter } from "next/navigation";
import { useMemo } from "react";
import { BlockForm } from "#components/BlockForm.tsx";
import { AddressFact, Fact } from "#components/Fact.tsx";
import { Link } from "#components/Link.tsx";
import { EndlessListView, useEndlessList } from "#components/list/endless.tsx";
import { ListActions } from "#components/list/Toolbar.tsx";
import { focusResults } from "#components/navigation.tsx";
import { ReplacedNews } from "#components/ReplacedNews.tsx";
import { Button } from "#components/ui/Button.tsx";
import { FactList } from "#components/ui/FactList.tsx";
import { Notice } from "#components/ui/Notice.tsx";
import { type TabOf, Tabs } from "#components/ui/Tabs.tsx";
import { addressBarIsWritten } from "#components/url-state.ts";
import { sharesIn } from "#lib/client/format.ts";
import type { CursorPage, FirstPage } from "#lib/client/queries.ts";
import { NO_PLACE } from "#lib/client/url-state.ts";
import type { Holder } from "#lib/queries/asset-holders/contract.ts";
import { valueInUsd } from "#lib/util/amounts.ts";
import { terms } from "#terms";
import { type HolderFacts, holderColumns, pastHolderColumns, unpricedHolderColumns } from "./columns.tsx";
import { LargestHolders } from "./LargestHolders.tsx";
import { holderFile, holderList } from "./list.ts";

interface Props extends Omit<HolderFacts, "at" | "before" | "most" | "shares"> {
  total: number;
  first: FirstPage<CursorPage<Holder>> | null;
  tabs: readonly TabOf[];
}

const details = ({ address, amount, capacity }: Holder) => (
  <FactList className="p-3">
    <AddressFact address={address} />
    <Fact name="Amount, smallest unit" value={amount} />
    <Fact name={`Capacity, ${terms.smallestUnit.many}`} value={capacity} />
  </FactList>
);

/** The tab of the holders as of a block that is not there. */
export function NoHolders({ at, fault, tabs }: { at: string; fault: string; tabs: readonly TabOf[] }) {
  return (
    <div id="results" tabIndex={-1} className="outline-none">
      <Tabs label="Parts of this token" tabs={tabs} />
      <div className="py-2">
        <AsOfForm at={at} />
      </div>
      <p role="status" className="py-2">
        {fault}{" "}
        <Link href={{ ...NO_PLACE, at: "" }} className="underline">
          Show the current holders
        </Link>
      </p>
    </div>
  );
}

const copyOf = ({ address }: Holder) => [address, "address"] as const;

const AsOfForm = ({ at }: { at: string }) => (
  <BlockForm key={at} fields={[{ parameter: "at", value: at }]} action="Show as of" />
);

export function Holders({ total, first, tabs, ...about }: Props) {
  const { asset, supply, price } = about;
  const router = useRouter();
  const list = useEndlessList(holderList, { id: asset.id }, first);
  const { before, rows, view } = list;
  const isPast = view.at !== "";
  function backToNow() {
    list.change({ at: "" });
    focusResults();
    // The supply and the price come with the page.
    void addressBarIsWritten().finally(() => router.refresh());
  }
  const { id, symbol, name, decimals } = asset;
  const subject = { symbol, name, decimals, asset_id: id };
  // The list begins with the largest.
  const most = BigInt(rows[0]?.amount ?? 0);
  // Shares must not change while the list goes on. One that is opened in its middle does not begin with the largest.
  const shares = useMemo(() => {
    const largest = first && !first.path.includes("cursor=") ? first.response.data.result : [];
    return sharesIn(
      BigInt(supply),
      largest.map(({ address, amount }) => [address, BigInt(amount)]),
    );
  }, [first, supply]);
  const facts = useMemo<HolderFacts>(
    () => ({ asset, supply, shares, price, most, at: view.at, before }),
    [asset, supply, shares, price, most, view.at, before],
  );
  return (
    <div>
      <Tabs label="Parts of this token" tabs={tabs}>
        <ListActions
          source={{ ...list.source, list: holderFile(asset), subject, total: isPast ? null : total }}
        />
      </Tabs>
      {before === 0 && !isPast && (
        <LargestHolders asset={asset} supply={supply} shares={shares} holders={rows} />
      )}
      <EndlessListView
        list={list}
        rows={rows}
        total={isPast ? null : total}
        noun="holder"
        caption="Holders"
        columns={isPast ? pastHolderColumns : price === null ? unpricedHolderColumns : holderColumns}
        facts={facts}
        worthOf={({ amount }) => ({
          asset,
          kind: asset.standard,
          amount: BigInt(amount),
          usd: price === null || isPast ? null : valueInUsd(BigInt(amount), asset.decimals, BigInt(price)),
        })}
        details={details}
        copyOf={copyOf}
        controls={{
          at: (
            <>
              <AsOfForm at={view.at} />
              {isPast && <Button onClick={backToNow}>Back to now</Button>}
            </>
          ),
        }}
        empty={<Notice bare title="No holders" />}
      />
      {list.tip && <ReplacedNews block={list.tip} list={list} />}
    </div>
  );
}
