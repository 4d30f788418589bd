"use client";

import { Notice } from "../components/Notice.tsx";

/** `digest` is what the server's log says beside the error itself, which stays there. */
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
        title="The server failed while reading its data"
        actions={
          <button type="button" className="button" onClick={retry}>
            Try again
          </button>
        }
      >
        <p>Its store may be unreachable. Nothing you did is lost.</p>
        {error.digest && <p className="mono mt-1">error {error.digest}</p>}
      </Notice>
    </div>
  );
}
