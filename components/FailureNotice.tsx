"use client";

import { useQueryClient } from "@tanstack/react-query";
import { lazy, Suspense, useState } from "react";
import { failureDetails, failureText } from "#lib/client/failure.ts";
import { chainStatus } from "#lib/client/queries.ts";
import { RequestError } from "#lib/client/request.ts";
import { CopyButton } from "./CopyButton.tsx";
import { Button } from "./ui/Button.tsx";
import { Notice } from "./ui/Notice.tsx";

// The server answers when this is needed, so it can be fetched then.
const SignInForm = lazy(() => import("./SignInForm.tsx").then((module) => ({ default: module.SignInForm })));

export interface FailureProps {
  error: Error;
  /** What failed, as the start of a sentence: `Page 3`. */
  subject: string;
  onRetry: () => void;
  retrying?: boolean;
  /** Without a frame, inside a panel. */
  bare?: boolean;
}

/** A failed request: what happened, what the reader can do, and how to report it. */
export default function FailureNotice(props: FailureProps) {
  const { error, subject, onRetry, retrying = false, bare = false } = props;
  const { title, advice, remedy } = failureText(error);
  const client = useQueryClient();
  const [page] = useState(() => (typeof window === "undefined" ? "" : window.location.pathname));
  function onSignedIn() {
    // Its polling stopped when the session ended.
    void client.invalidateQueries(chainStatus());
    onRetry();
  }
  const request = error instanceof RequestError ? error : null;
  return (
    <Notice
      bare={bare}
      tone={remedy === "sign-in" ? "warn" : "bad"}
      role="alert"
      title={`${subject}: ${title.charAt(0).toLowerCase()}${title.slice(1)}`}
      actions={
        remedy === "sign-in" ? undefined : (
          <>
            {remedy === "retry" && (
              <Button onClick={onRetry} disabled={retrying}>
                {retrying ? "Trying again…" : "Try again"}
              </Button>
            )}
            <CopyButton text={failureDetails(error, page)} label="details of the failure">
              Copy details
            </CopyButton>
          </>
        )
      }
    >
      <p>{advice}</p>
      {request && request.issues.length > 0 && (
        <ul className="list-inside list-disc">
          {request.issues.map((issue) => (
            <li key={issue.path.join(".") + issue.message}>
              {issue.path.at(-1)} {issue.message}
            </li>
          ))}
        </ul>
      )}
      {request && remedy !== "sign-in" && (
        <p className="mono mt-1">
          {request.code}
          {request.requestId && ` · request ${request.requestId}`}
        </p>
      )}
      {remedy === "sign-in" && (
        <Suspense>
          <SignInForm onSignedIn={onSignedIn} compact />
        </Suspense>
      )}
    </Notice>
  );
}
