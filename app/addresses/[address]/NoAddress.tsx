import { ButtonLink } from "#components/Link.tsx";
import { MessagePage } from "#components/ui/MessagePage.tsx";
import { limitText } from "#lib/contract/texts.ts";
import { markNotFound } from "#lib/server/rendered-request.ts";

/** Characters of a wrong address that the page repeats. */
const SHOWN = 256;

/** Says what is wrong with the address of a link. */
export function NoAddress({ text, reason }: { text: string; reason: string }) {
  markNotFound();
  return (
    <MessagePage
      heading="Not a valid address of this chain"
      tone="bad"
      title={reason}
      actions={<ButtonLink href="/">Look up another</ButtonLink>}
    >
      <p className="mono break-all">{limitText(text, SHOWN)}</p>
    </MessagePage>
  );
}
