import { NothingIndexed } from "#components/page-parts.tsx";
import { MessagePage } from "#components/ui/MessagePage.tsx";
import { getService } from "#lib/api/service.ts";
import { blockHeader, chainTip } from "#lib/queries/chain.ts";
import { RefusedRange } from "./RefusedRange.tsx";

export default async function NotFound() {
  const { store } = await getService();
  const tip = await store.query(chainTip);
  if (!tip) return <NothingIndexed heading="Range of blocks" />;
  const newest = await store.query(blockHeader, tip.hash);
  return (
    <>
      <MessagePage heading="Range not found" title="This is not a range of blocks">
        A range begins after one block and ends with a later one.
      </MessagePage>
      <div className="lg:ms-[calc(50%-280px)]">
        <RefusedRange tip={{ height: tip.height, time: newest?.timestamp ?? null }} />
      </div>
    </>
  );
}
