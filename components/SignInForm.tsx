"use client";

import { startTransition, useActionState, useId, useRef, useState } from "react";
import { withBase } from "#lib/client/base-path.ts";
import { bareToken } from "#lib/client/token.ts";
import { Button } from "./ui/Button.tsx";
import { Field } from "./ui/Field.tsx";

interface Props {
  onSignedIn: () => void;
  compact?: boolean;
  autoFocus?: boolean;
  /** Path to which the server redirects if no script runs. */
  next?: string;
  /** The server's refusal of the last attempt if no script runs. */
  refusal?: string;
}

export function SignInForm({ onSignedIn, compact = false, autoFocus = false, next, refusal = "" }: Props) {
  const [shown, setShown] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const id = useId();
  const [fault, submit, pending] = useActionState(async (_: string, form: FormData) => {
    const token = bareToken(String(form.get("token")));
    const failure = token === "" ? "Enter an access token." : await signIn(token);
    if (failure === "") {
      if (input.current) input.current.value = "";
      onSignedIn();
    } else input.current?.focus();
    return failure;
  }, refusal);
  const shownFault = pending ? "" : fault;
  const button = (
    <Button type="submit" tone="primary" disabled={pending} className={compact ? "" : "w-full"}>
      {pending ? "Signing in…" : "Sign in"}
    </Button>
  );
  return (
    <form
      // Without a script the browser submits the form, and by default it would put the token into the URL.
      method="post"
      action={withBase("/session")}
      onSubmit={(event) => {
        event.preventDefault();
        const form = new FormData(event.currentTarget);
        startTransition(() => submit(form));
      }}
      className={compact ? "mt-3" : ""}
      noValidate
    >
      {next && <input type="hidden" name="next" value={next} />}
      <label htmlFor={id} className={compact ? "sr-only" : "mb-1 block font-medium"}>
        Access token
      </label>
      <div className="flex flex-wrap gap-2">
        <Field
          ref={input}
          id={id}
          name="token"
          type={shown ? "text" : "password"}
          placeholder={compact ? "Access token" : undefined}
          aria-invalid={shownFault !== ""}
          aria-describedby={shownFault ? `${id}-fault` : undefined}
          autoFocus={autoFocus}
          className="grow basis-48 font-mono"
        />
        <Button aria-pressed={shown} aria-controls={id} onClick={() => setShown(!shown)}>
          Show
        </Button>
        {compact && button}
      </div>
      {shownFault && (
        <p id={`${id}-fault`} role="alert" className="mt-2 text-bad">
          {shownFault}
        </p>
      )}
      {!compact && <div className="mt-4">{button}</div>}
    </form>
  );
}

/** Returns an error message, or "" after success. No other request contains the token. */
async function signIn(token: string): Promise<string> {
  try {
    const response = await fetch(withBase("/session"), {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ token }),
    });
    if (response.ok) return "";
    const body: unknown = await response.json().catch(() => null);
    const issue = (body as { issues?: { message?: unknown }[] } | null)?.issues?.[0]?.message;
    return typeof issue === "string" ? issue : `The server failed (status ${response.status}). Try again.`;
  } catch {
    return "The server cannot be reached. Check the network connection and try again.";
  }
}
