"use client";

import { useEffect } from "react";
import { SignInForm } from "#components/SignInForm.tsx";

interface Props {
  /** A path of this site, checked by the server. */
  target: string;
  /** The reader wanted `target`, and was sent here. */
  sent: boolean;
  refusal: string | undefined;
}

export function SignIn({ target, sent, refusal }: Props) {
  useEffect(() => {
    if (!sent) return;
    // A link on another site brings no session along, even where there is one. This page's own question does.
    fetch("/session")
      .then((response) => response.json())
      .then(({ signedIn }) => signedIn === true && window.location.replace(target))
      // The form is there for whoever gets no answer.
      .catch(() => {});
  }, [sent, target]);
  // A full load, so that every part of the page is made for the reader who signed in.
  return (
    <SignInForm autoFocus next={target} refusal={refusal} onSignedIn={() => window.location.assign(target)} />
  );
}
