"use client";

import { CopyDetails } from "#components/CopyDetails.tsx";
import { Button } from "#components/ui/Button.tsx";
import { MessagePage } from "#components/ui/MessagePage.tsx";

/** Props from the framework; `retry` renders the failed page again. */
export type ErrorInfo = { error: Error & { digest?: string }; retry: () => void };

/**
 * A server error carries a `digest`: the request id, or a number from the framework. The server logs the full error
 * under the same digest.
 */
export default function ErrorPage({ error, retry }: ErrorInfo) {
  const { digest } = error;
  return (
    <MessagePage
      heading="This page could not be loaded"
      tone="bad"
      role="alert"
      title={digest ? "The server could not read its data" : "Something went wrong on this page"}
      actions={
        <>
          <Button onClick={retry}>Try again</Button>
          <CopyDetails error={error} />
        </>
      }
    >
      <p>
        {digest && "Its database may be unreachable. "}Nothing you did is lost.
        {digest && " If it happens again, give the operator this:"}
      </p>
      <p className="mono mt-1">
        {digest && !/^\d+$/.test(digest) ? "request" : "error"} {digest ?? error.message}
      </p>
    </MessagePage>
  );
}
