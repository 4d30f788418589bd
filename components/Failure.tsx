"use client";

import { lazy, Suspense, useEffect } from "react";
import { CopyButton } from "./CopyButton.tsx";
import type { FailureProps } from "./FailureNotice.tsx";
import type { PauseProps } from "./Pause.tsx";
import { Button } from "./ui/Button.tsx";
import { Notice } from "./ui/Notice.tsx";

const loadNotice = () => import("./FailureNotice.tsx");
const loadPause = () => import("./Pause.tsx");

// Without a server their code cannot load either. Then this file's own notice is shown, without a countdown.
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
        <>
          <Button onClick={onRetry}>Try again</Button>
          <CopyButton
            text={() =>
              `Page: ${location.pathname}\nTime: ${new Date().toISOString()}\nMessage: ${error.message}`
            }
            label="details of the failure"
          >
            Copy details
          </CopyButton>
        </>
      }
    >
      Check the network connection, then try again. If other sites work, the server may be down: its operator
      can tell.
    </Notice>
  );
}

interface Request {
  isFetching: boolean;
  failureReason: Error | null;
}

/**
 * The failure after which a request waits to be repeated, if any. Few readers see one, so the code that shows it
 * is fetched along with the first request that may fail.
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
