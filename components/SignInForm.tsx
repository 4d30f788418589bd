"use client";

import { type FormEvent, useId, useRef, useState } from "react";
import { withBase } from "#lib/client/base-path.ts";
import { bareToken } from "#lib/client/token.ts";
import { Button } from "./ui/Button.tsx";
import { Field } from "./ui/Field.tsx";

interface Props {
  onSignedIn: () => void;
  /** One line, inside a page that is already in use. */
  compact?: boolean;
  autoFocus?: boolean;
  /** Where the server redirects if no script runs. */
  next?: string;
  /** Why the server refused the token in that case. */
  refusal?: string;
}

const UNREACHABLE = "The server cannot be reached. Check the network connection and try again.";

export function SignInForm({ onSignedIn, compact = false, autoFocus = false, next, refusal = "" }: Props) {
  const [shown, setShown] = useState(false);
  const [pending, setPending] = useState(false);
  const [fault, setFault] = useState(refusal);
  const input = useRef<HTMLInputElement>(null);
  const id = useId();

  async function submit(event: FormEvent) {
    event.preventDefault();
    const token = bareToken(input.current?.value ?? "");
    if (token === "") {
      setFault("Enter an access token.");
      input.current?.focus();
      return;
    }
    setPending(true);
    setFault("");
    const failure = await signIn(token);
    setPending(false);
    if (failure === null) {
      if (input.current) input.current.value = "";
      onSignedIn();
      return;
    }
    setFault(failure);
    input.current?.focus();
  }

  return (
    <form
      // If no script runs, the browser submits the form: without these it would put the token into the URL.
      method="post"
      action={withBase("/session")}
      onSubmit={submit}
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
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          placeholder={compact ? "Access token" : undefined}
          aria-invalid={fault !== ""}
          aria-describedby={fault ? `${id}-fault` : undefined}
          autoFocus={autoFocus}
          className="grow basis-48 font-mono"
        />
        <Button aria-pressed={shown} aria-controls={id} onClick={() => setShown(!shown)}>
          Show
        </Button>
        {compact && <Submit pending={pending} />}
      </div>
      {fault && (
        <p id={`${id}-fault`} role="alert" className="mt-2 text-bad">
          {fault}
        </p>
      )}
      {!compact && (
        <div className="mt-4">
          <Submit pending={pending} wide />
        </div>
      )}
    </form>
  );
}

function Submit({ pending, wide = false }: { pending: boolean; wide?: boolean }) {
  return (
    <Button type="submit" tone="accent" disabled={pending} className={wide ? "w-full" : ""}>
      {pending ? "Signing in…" : "Sign in"}
    </Button>
  );
}

/** Null once signed in, else the message for the reader. The token is only ever sent in this request. */
async function signIn(token: string): Promise<string | null> {
  try {
    const response = await fetch(withBase("/session"), {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ token }),
    });
    if (response.ok) return null;
    const body: unknown = await response.json().catch(() => null);
    const issue = (body as { issues?: { message?: unknown }[] } | null)?.issues?.[0]?.message;
    return typeof issue === "string" ? issue : `The server failed (status ${response.status}). Try again.`;
  } catch {
    return UNREACHABLE;
  }
}
