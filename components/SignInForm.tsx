"use client";

import { type FormEvent, useId, useRef, useState } from "react";
import { bareToken } from "#lib/client/token.ts";

interface Props {
  onSignedIn: () => void;
  /** One line, inside a page that is already in use. */
  compact?: boolean;
  autoFocus?: boolean;
  /** Where the server leads to by itself, should no script run. */
  next?: string;
  /** Why it refused the token then. */
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
      // For the browser itself, while no script runs: without these it would put the token into the URL.
      method="post"
      action="/session"
      onSubmit={submit}
      className={compact ? "mt-3" : ""}
      noValidate
    >
      {next && <input type="hidden" name="next" value={next} />}
      <label htmlFor={id} className={compact ? "sr-only" : "mb-1 block font-medium"}>
        Access token
      </label>
      <div className="flex flex-wrap gap-2">
        <input
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
          // biome-ignore lint/a11y/noAutofocus: the sign-in page has this one field
          autoFocus={autoFocus}
          className="field mono min-w-48 flex-1"
        />
        <button
          type="button"
          className="button"
          aria-pressed={shown}
          aria-controls={id}
          onClick={() => setShown(!shown)}
        >
          Show
        </button>
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
    <button type="submit" disabled={pending} className={`button button-accent ${wide ? "w-full" : ""}`}>
      {pending ? "Signing in…" : "Sign in"}
    </button>
  );
}

/** Null once signed in, else what to tell the reader. The token goes nowhere but into this one request. */
async function signIn(token: string): Promise<string | null> {
  try {
    const response = await fetch("/session", {
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
