"use client";

import { CopyDetails } from "#components/Failure.tsx";
import { Button } from "#components/ui/Button.tsx";
import { MessagePage } from "#components/ui/MessagePage.tsx";

/** What the framework passes to a page of an error: `retry` renders the failed page again. */
export type ErrorInfo = { error: Error & { digest?: string }; retry: () => void };

/** Errors of the server carry a `digest`. Its log has the same digest beside the full error, which stays there. */
export default function ErrorPage({ error, retry }: ErrorInfo) {
  return (
    <MessagePage
      heading="This page could not be loaded"
      tone="bad"
      role="alert"
      title={error.digest ? "The server could not read its data" : "Something went wrong on this page"}
      actions={
        <>
          <Button onClick={retry}>Try again</Button>
          <CopyDetails error={error} />
        </>
      }
    >
      <p>{error.digest && "Its database may be unreachable. "}Nothing you did is lost.</p>
      <p className="mono mt-1">error {error.digest ?? error.message}</p>
    </MessagePage>
  );
}
