"use client";

import { Notice } from "../components/Notice.tsx";

/** An error of the server has a `digest`: its log says it beside the error itself, which stays there. */
export default function ErrorPage({
  error,
  retry,
}: {
  error: Error & { digest?: string };
  retry: () => void;
}) {
  return (
    <div className="mx-auto max-w-2xl py-8" id="results">
      <h1 className="mb-4 font-semibold text-lg">This page could not be made</h1>
      <Notice
        tone="bad"
        role="alert"
        title={error.digest ? "The server failed while reading its data" : "The page itself failed"}
        actions={
          <button type="button" className="button" onClick={retry}>
            Try again
          </button>
        }
      >
        <p>{error.digest && "Its store may be unreachable. "}Nothing you did is lost.</p>
        <p className="mono mt-1">error {error.digest ?? error.message}</p>
      </Notice>
    </div>
  );
}
