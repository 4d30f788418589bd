"use client";

import { useRouter } from "next/navigation";
import { useCallback, useRef, useState, useTransition } from "react";
import { useChainStatus } from "#components/chain-tip.ts";
import { useUnlessReading } from "#components/reading.ts";
import { Button } from "#components/ui/Button.tsx";
import { NewsBar } from "#components/ui/NewsBar.tsx";
import { countOf } from "#lib/client/format.ts";

/** A page that came without the tip is rendered again after so long. */
const AGAIN_MS = 5_000;

/**
 * Renders the page again for each new tip. If the reader has paused it or is reading the list, it says how many newer
 * blocks there are. `height` and `hash` name the block that the page shows.
 */
export function FollowTip({ height, hash }: { height: number; hash: string }) {
  const { data: status } = useChainStatus();
  const router = useRouter();
  const [loading, start] = useTransition();
  const [paused, setPaused] = useState(false);
  const newest = status?.tip ?? null;
  // The page may already show a block that the status does not know yet.
  const behind = newest !== null && newest.hash !== hash && newest.height >= height;
  /** The tip that the page was last rendered for, and when. If it shows another one, the server was not there yet. */
  const requested = useRef({ hash: "", time: 0 });
  const show = useCallback(() => {
    requested.current = { hash: newest?.hash ?? "", time: Date.now() };
    start(() => router.refresh());
  }, [newest, router]);
  const follow = useCallback(() => {
    const { hash: asked, time } = requested.current;
    if (asked !== newest?.hash || Date.now() - time > AGAIN_MS) show();
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
