"use client";

import { useRouter } from "next/navigation";
import { useCallback, useRef, useState, useTransition } from "react";
import { useChainStatus } from "#components/chain-tip.ts";
import { useUnlessReading } from "#components/reading.ts";
import { Button } from "#components/ui/Button.tsx";
import { NewsBar } from "#components/ui/NewsBar.tsx";
import { useLate } from "#components/use-late.ts";
import { countOf } from "#lib/client/format.ts";

/** How long to wait for a server that does not have the tip yet. */
const AGAIN_MS = 5_000;

/** A page that follows by itself is behind for a moment with each block, which is no news. */
const BEHIND_MS = 2_000;

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
  // The page may show a block that the status does not know yet.
  const behind = newest !== null && newest.hash !== hash && newest.height >= height;
  /** The tip that the page was last rendered for, which the server may not have had yet. */
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
  const late = useLate(behind && !loading, paused ? 0 : BEHIND_MS);
  return (
    <>
      <p className="flex items-center gap-3 text-text-2 print:hidden">
        {paused ? "Paused" : "Following the newest block"}
        <Button size="narrow" aria-pressed={paused} onClick={() => setPaused(!paused)}>
          Pause
        </Button>
      </p>
      {late && newest && (
        <NewsBar quiet action={<Button onClick={show}>Show</Button>}>
          {newest.height > height
            ? countOf(newest.height - height, "newer block")
            : "This block was replaced"}
        </NewsBar>
      )}
    </>
  );
}
