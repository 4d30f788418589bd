"use client";

import { SignInForm } from "#components/SignInForm.tsx";
import { useOwnSession } from "#components/use-own-session.ts";
import { withBase } from "#lib/client/base-path.ts";

interface Props {
  /** A path of this site, which the server has checked. */
  target: string;
  /** The reader was redirected here from `target`. */
  sent: boolean;
  refusal: string | undefined;
}

export function SignIn({ target, sent, refusal }: Props) {
  useOwnSession(sent, target);
  // A full load, so that the server renders every part of the page for the new session.
  return (
    <SignInForm
      autoFocus
      next={target}
      refusal={refusal}
      onSignedIn={() => window.location.assign(withBase(target) + window.location.hash)}
    />
  );
}
