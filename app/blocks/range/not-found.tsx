import { MessagePage } from "#components/ui/MessagePage.tsx";
import { getService } from "#lib/api/service.ts";
import { formatCount } from "#lib/client/format.ts";
import { chainTip } from "#lib/questions/chain.ts";
import { RangeForm } from "./RangeForm.tsx";

export default async function NotFound() {
  const tip = await (await getService()).store.ask(chainTip);
  return (
    <>
      <MessagePage heading="Range not found" tone="neutral" title="These are no blocks of this chain">
        <p>
          A range begins after one block and ends with a later one, each by its number or hash.
          {tip && ` The newest indexed block is ${formatCount(tip.height)}.`}
        </p>
      </MessagePage>
      <div className="mt-6 flex justify-center">
        <RangeForm tip={tip} after={null} to={null} />
      </div>
    </>
  );
}
