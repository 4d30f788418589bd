"use client";

import { SignInForm } from "../../components/SignInForm.tsx";

/** `target` is a path of this site, checked by the server. */
export function SignIn({ target }: { target: string }) {
  // A full load, so that every part of the page is made for the reader who signed in.
  return <SignInForm autoFocus onSignedIn={() => window.location.assign(target)} />;
}
