"use client";

import { lazy, Suspense, useEffect } from "react";
import type { FailureProps } from "./FailureNotice.tsx";
import { Notice } from "./Notice.tsx";
import type { PauseProps } from "./Pause.tsx";

const loadNotice = () => import("./FailureNotice.tsx");
const loadPause = () => import("./Pause.tsx");

// Without a network their code does not come either: the error's own words are said then, and no countdown.
const FailureNotice = lazy(() => loadNotice().catch(() => ({ default: PlainNotice })));
const LazyPause = lazy(() => loadPause().catch(() => ({ default: () => null })));

function PlainNotice({ error, subject, onRetry }: FailureProps) {
  return (
    <Notice
      bare
      tone="bad"
      role="alert"
      title={`${subject}: ${error.message}`}
      actions={
        <button type="button" className="button" onClick={onRetry}>
          Try again
        </button>
      }
    />
  );
}

interface Request {
  isFetching: boolean;
  failureReason: Error | null;
}

/**
 * The failure that a request waits after before it is repeated. Most readers never see one: the code that shows
 * it is fetched beside the first request that may fail.
 */
export function useFailurePause({ isFetching, failureReason }: Request): Error | null {
  useEffect(() => {
    if (!isFetching) return;
    for (const load of [loadNotice, loadPause]) load().catch(() => {});
  }, [isFetching]);
  return isFetching ? failureReason : null;
}

export function Failure(props: FailureProps) {
  return (
    <Suspense>
      <FailureNotice {...props} />
    </Suspense>
  );
}

export function Pause(props: PauseProps) {
  return (
    <Suspense>
      <LazyPause {...props} />
    </Suspense>
  );
}
