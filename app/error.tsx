"use client";

/**
 * An error of the server has a `digest`: its log says it beside the error itself, which stays there. Every page loads
 * this before anything fails, twice over (`global-error.tsx`), so it is a notice by its classes alone.
 */
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
      <div role="alert" className="notice notice-bad">
        <p>{error.digest ? "The server failed while reading its data" : "The page itself failed"}</p>
        <div className="words">
          <p>{error.digest && "Its store may be unreachable. "}Nothing you did is lost.</p>
          <p className="mono mt-1">error {error.digest ?? error.message}</p>
        </div>
        <div className="actions">
          <button type="button" className="button" onClick={retry}>
            Try again
          </button>
        </div>
      </div>
    </div>
  );
}
