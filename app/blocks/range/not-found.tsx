import { MessagePage } from "#components/ui/MessagePage.tsx";
import { getService } from "#lib/api/service.ts";
import { chainTip } from "#lib/questions/chain.ts";
import { RefusedRange } from "./RefusedRange.tsx";

export default async function NotFound() {
  const tip = await (await getService()).store.ask(chainTip);
  return (
    <>
      <MessagePage heading="Range not found" tone="neutral" title="These are no blocks of this chain">
        A range begins after one block and ends with a later one.
      </MessagePage>
      <div className="mx-auto max-w-2xl">
        <RefusedRange tip={tip} />
      </div>
    </>
  );
}
