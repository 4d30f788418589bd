import type { Scope } from "#lib/contract/operation.ts";
import { MessagePage } from "./ui/MessagePage.tsx";

/** Shown if the reader's token lacks the scope of a page. */
export function MissingScope({ scope }: { scope: Scope }) {
  return (
    <MessagePage
      heading="Not allowed"
      tone="warn"
      title="This access token does not give access to this page"
    >
      It lacks the scope <span className="mono">{scope}</span>. Sign out and use a token that has it, or ask
      its issuer for one.
    </MessagePage>
  );
}
