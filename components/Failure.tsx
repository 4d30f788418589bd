"use client";

import { useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useEffect, useState } from "react";
import { failureText } from "#lib/client/failure.ts";
import { countOf, uncapitalised } from "#lib/client/format.ts";
import { chainStatus, retryDelay } from "#lib/client/queries.ts";
import { RequestError } from "#lib/client/request.ts";
import { announce } from "./announce.ts";
import { CopyButton } from "./CopyButton.tsx";
import { CopyDetails } from "./CopyDetails.tsx";
import { repeat } from "./repeat.ts";
import { SignInForm } from "./SignInForm.tsx";
import { Button } from "./ui/Button.tsx";
import { Notice } from "./ui/Notice.tsx";

interface FailureProps {
  error: Error;
  /** The failed part, as the start of a sentence: `Page 3`. */
  subject: string;
  onRetry: () => void;
  retrying: boolean;
  actions?: ReactNode;
}

/** Explains a failed request, and offers to retry and to report it. */
export function Failure({ error, subject, onRetry, retrying, actions }: FailureProps) {
  const { title, advice, remedy } = failureText(error);
  const client = useQueryClient();
  function onSignedIn() {
    // Polling stopped when the session ended.
    void client.invalidateQueries(chainStatus());
    onRetry();
  }
  const request = error instanceof RequestError ? error : null;
  const retryAfter = remedy === "retry" ? (request?.retryAfter ?? 0) : 0;
  const wait = useSecondsLeft(retryAfter, error);
  return (
    <Notice
      bare
      tone={remedy === "sign-in" ? "warn" : "bad"}
      role="alert"
      title={`${subject}: ${uncapitalised(title)}`}
      actions={
        remedy === "sign-in" ? undefined : (
          <>
            {remedy === "retry" && (
              <Button onClick={onRetry} disabled={retrying}>
                {retrying ? "Trying again…" : "Try again"}
              </Button>
            )}
            {actions}
            <CopyDetails error={error} />
          </>
        )
      }
    >
      <p>
        {advice}{" "}
        {wait > 0 && (
          <>
            {/* Screen readers announce only the first number. */}
            <span aria-hidden="true">Try again in {countOf(wait, "second")}.</span>
            <span className="sr-only">Try again in {countOf(retryAfter, "second")}.</span>
          </>
        )}
      </p>
      {request && request.issues.length > 0 && (
        <ul className="list-inside list-disc">
          {request.issues.map((issue) => (
            <li key={issue.path.join(".") + issue.message}>
              {[...issue.path.slice(-1), issue.message].join(": ")}
            </li>
          ))}
        </ul>
      )}
      {request && remedy !== "sign-in" && (
        <p className="mono mt-1 flex flex-wrap items-center gap-x-4">
          {request.code}
          {request.requestId && (
            <span className="flex items-center gap-1">
              request {request.requestId} <CopyButton text={request.requestId} label="request id" />
            </span>
          )}
        </p>
      )}
      {remedy === "sign-in" && <SignInForm onSignedIn={onSignedIn} compact />}
    </Notice>
  );
}

const SECOND_MS = 1000;

/** Counts the seconds down after each new error. */
function useSecondsLeft(seconds: number, error: Error): number {
  const [left, setLeft] = useState(seconds);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each error restarts the countdown
  useEffect(() => {
    const end = Date.now() + seconds * SECOND_MS;
    return repeat(() => setLeft(Math.max(0, Math.ceil((end - Date.now()) / SECOND_MS))), SECOND_MS);
  }, [seconds, error]);
  return left;
}

/** The reason of a failure, and the seconds until the next attempt. `failures` counts those in a row. */
export function Pause({ error, failures }: { error: Error; failures: number }): ReactNode {
  const { title } = failureText(error);
  const left = useSecondsLeft(retryDelay(failures - 1, error) / SECOND_MS, error);
  // Announces only the reason, not every second.
  useEffect(() => announce(`${title}, continuing automatically`), [title]);
  return left > 0 ? `${title}, continuing in ${left} s` : `${title}, retrying…`;
}

/** The failure after which a query waits for its next attempt, if any. */
export function pauseOf(query: { isFetching: boolean; failureReason: Error | null }): Error | null {
  return query.isFetching ? query.failureReason : null;
}
