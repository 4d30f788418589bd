"use client";

import { useRouter } from "next/navigation";
import { useCallback, useRef, useTransition } from "react";
import { useTip } from "#components/chain-tip.ts";
import { useUnlessReading } from "#components/reading.ts";
import { Button } from "#components/ui/Button.tsx";
import { NewsBar } from "#components/ui/NewsBar.tsx";
import { addressBarIsWritten, useView } from "#components/url-state.ts";
import { useLate } from "#components/use-late.ts";
import { detect } from "#lib/client/detect.ts";
import { countOf } from "#lib/client/format.ts";
import { tipFields } from "./fields.ts";

/** Wait before asking again, if the server did not have the tip yet. */
const AGAIN_MS = 5_000;

/** Delay before the page says that it is behind, as it is for a moment after each new block. */
const BEHIND_MS = 2_000;

/**
 * Renders the page again for each new tip. While the reader uses the list or has paused it, a bar counts the newer
 * blocks instead. Tabs and other links keep a paused block. `height` and `hash` are those of the shown block.
 */
export function FollowTip({ height, hash }: { height: number; hash: string }) {
  const router = useRouter();
  const [loading, start] = useTransition();
  const [view, setView] = useView(tipFields);
  const newest = useTip();
  const named = detect(view.paused);
  // The server does not have the block of every link.
  const paused = named.kind === "block-hash" && [hash, newest?.hash].includes(named.hash);
  // The page may be ahead of the status.
  const behind = newest !== null && newest.hash !== hash && newest.height >= height;
  /** The tip for which the page was last rendered. The server may not have had it yet. */
  const requested = useRef({ hash: "", time: 0 });
  const show = useCallback(() => {
    requested.current = { hash: newest?.hash ?? "", time: Date.now() };
    if (paused && newest) setView({ paused: newest.hash });
    void addressBarIsWritten().finally(() => start(() => router.refresh()));
  }, [newest, paused, setView, router]);
  const follow = useCallback(() => {
    const { hash, time } = requested.current;
    if (hash !== newest?.hash || Date.now() - time > AGAIN_MS) show();
  }, [newest, show]);
  useUnlessReading("results", behind && !paused && !loading ? follow : null);
  const late = useLate(behind && !loading, paused ? 0 : BEHIND_MS);
  return (
    <>
      <p className="flex items-center gap-3 text-text-2 max-sm:mb-1 print:hidden">
        {paused ? "Paused" : "Following the newest block"}
        <Button size="narrow" aria-pressed={paused} onClick={() => setView({ paused: paused ? null : hash })}>
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
