"use client";

import { useRouter } from "next/navigation";
import { useCallback, useRef, useState, useTransition } from "react";
import { useChainStatus } from "#components/chain-tip.ts";
import { useUnlessReading } from "#components/reading.ts";
import { Button } from "#components/ui/Button.tsx";
import { NewsBar } from "#components/ui/NewsBar.tsx";
import { countOf } from "#lib/client/format.ts";

/**
 * Renders the page again for each new tip, unless the reader has paused it or is reading the list: then it says how
 * many newer blocks there are. `height` and `hash`: of the block that the page shows.
 */
export function FollowTip({ height, hash }: { height: number; hash: string }) {
  const { data: status } = useChainStatus();
  const router = useRouter();
  const [loading, start] = useTransition();
  const [paused, setPaused] = useState(false);
  const newest = status?.tip ?? null;
  // The page may already show a block that the status does not know yet.
  const behind = newest !== null && newest.hash !== hash && newest.height >= height;
  /** Of the tip that the page was last rendered for. If it shows another one, the server is not there yet. */
  const requested = useRef("");
  const show = useCallback(() => {
    requested.current = newest?.hash ?? "";
    start(() => router.refresh());
  }, [newest, router]);
  const follow = useCallback(() => {
    if (requested.current !== newest?.hash) show();
  }, [newest, show]);
  useUnlessReading("results", behind && !paused && !loading ? follow : null);
  return (
    <NewsBar
      quiet
      action={
        <>
          {behind && (
            <Button disabled={loading} onClick={show}>
              Show
            </Button>
          )}
          <Button aria-pressed={paused} onClick={() => setPaused(!paused)}>
            Pause
          </Button>
        </>
      }
    >
      {behind && !loading ? newer(newest.height - height) : paused ? "Paused" : "Following the newest block"}
    </NewsBar>
  );
}

function newer(blocks: number): string {
  return blocks > 0 ? countOf(blocks, "newer block") : "This block was replaced";
}
