"use client";

import { useEffect } from "react";
import { SignInForm } from "#components/SignInForm.tsx";
import { withBase } from "#lib/client/base-path.ts";

interface Props {
  /** A path of this site, which the server has checked. */
  target: string;
  /** The reader was redirected here from `target`. */
  sent: boolean;
  refusal: string | undefined;
}

export function SignIn({ target, sent, refusal }: Props) {
  useEffect(() => {
    if (!sent) return;
    // A link on another site sends no session cookie, even if there is one. This request does.
    fetch(withBase("/session"))
      .then((response) => response.json())
      .then(({ signedIn }) => signedIn === true && window.location.replace(withBase(target)))
      // If the request fails, the reader uses the form.
      .catch(() => {});
  }, [sent, target]);
  // A full load, so that the server renders every part of the page for the new session.
  return (
    <SignInForm
      autoFocus
      next={target}
      refusal={refusal}
      onSignedIn={() => window.location.assign(withBase(target))}
    />
  );
}
