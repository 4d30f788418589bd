"use client";

import type { Scope } from "#lib/contract/operation.ts";
import { SignInForm } from "./SignInForm.tsx";
import { MessagePage } from "./ui/MessagePage.tsx";
import { usePath } from "./url-state.ts";

export function MissingScope({ scope }: { scope: Scope }) {
  const path = usePath();
  return (
    <MessagePage
      heading="Not allowed"
      tone="warn"
      title="This access token does not give access to this page"
    >
      <p>
        It lacks the scope <span className="mono">{scope}</span>. Ask the operator for a token that has it,
        and sign in with that.
      </p>
      {/* A full load, so that the server renders the whole page for the new session. */}
      <SignInForm compact next={path} onSignedIn={() => window.location.reload()} />
    </MessagePage>
  );
}

/** A page about blocks of an empty index. */
export const NothingIndexed = ({ heading }: { heading: string }) => (
  <MessagePage heading={heading} title="Nothing indexed yet">
    This server's database is empty. Import blocks or follow a node, then reload.
  </MessagePage>
);
