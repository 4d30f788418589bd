"use client";

import { withBase } from "#lib/client/base-path.ts";
import { failureText } from "#lib/client/failure.ts";
import { capitalised, formatAge, formatCount } from "#lib/client/format.ts";
import { hasSessionEnded } from "#lib/client/queries.ts";
import { hasCode } from "#lib/client/request.ts";
import type { ChainStatus } from "#lib/client/status.ts";
import { terms } from "#terms";
import { useChainStatus, useFollowedTip } from "./chain-tip.ts";
import { Fact } from "./Fact.tsx";
import { Link } from "./Link.tsx";
import { Time, useNow } from "./Time.tsx";
import { Button } from "./ui/Button.tsx";
import { FactList, FactRow } from "./ui/FactList.tsx";
import { AnchoredPopover, closeAfterLink } from "./ui/Popover.tsx";
import { usePath } from "./url-state.ts";

interface Props {
  initial: ChainStatus;
  /** The reader's token may read the event stream. */
  mayFollow: boolean;
}

export function ChainStatusButton({ initial, mayFollow }: Props) {
  const { data: status = initial, error } = useChainStatus(initial);
  const ended = hasSessionEnded(error);
  useFollowedTip(mayFollow && !ended);
  const now = useNow();
  const page = usePath();
  const { tip, network, demo } = status;
  const time = tip?.time ?? null;
  const age = time !== null && now !== null ? formatAge(time, now) : "";
  const old = time !== null && now !== null && now - time > terms.staleAfterMs;
  // Generated chains may not grow, so their age means nothing.
  const stale = old && !demo;
  const name = network ? capitalised(network) : "No data";
  const [tone, note] = ended
    ? ["text-warn!", "session expired"]
    : error
      ? ["text-bad!", hasCode(error, "UNREACHABLE", "TIMEOUT") ? "unreachable" : "not updated"]
      : [stale ? "text-warn!" : old || !tip ? "text-text-3!" : "text-good!", age];
  return (
    <>
      <Button tone="bare" size="narrow" popoverTarget="chain-status" className={tone}>
        <span
          aria-hidden="true"
          className="size-2 flex-none rounded-full bg-current outline-4 outline-[color-mix(in_srgb,currentColor_18%,transparent)]"
        />
        <span className="sr-only">Chain status:</span>
        <span className="text-text-2">{demo ? "Demo" : name}</span>
        <span className={`text-text tabular-nums ${error ? "max-md:sr-only" : ""}`}>
          {tip ? `Block ${formatCount(tip.height)}` : "Nothing indexed yet"}
        </span>
        {/* An age has the width of the longest one, so that the header does not move. */}
        <span className={error ? "" : "min-w-18 text-start text-text-3 tabular-nums max-lg:sr-only"}>
          {note}
        </span>
      </Button>
      <AnchoredPopover id="chain-status" title="Chain status" at="end" onClick={closeAfterLink}>
        <FactList>
          <FactRow name="Network">
            {name}
            {demo && ", generated blocks"}
          </FactRow>
          <FactRow name="Indexed tip">
            {tip ? <Link href="/blocks/tip">{formatCount(tip.height)}</Link> : "Nothing indexed yet"}
          </FactRow>
          {tip && <Fact name="Tip hash" value={terms.hashText(tip.hash)} href={`/blocks/${tip.hash}`} />}
          {time !== null && (
            <FactRow name="Tip time">
              <Time time={time} />
            </FactRow>
          )}
        </FactList>
        {(error || stale) && (
          <p className={`mt-2 ${tone}`}>
            {error
              ? `${ended ? "Your session has ended" : failureText(error).title}: this is the last known state. `
              : `The newest indexed block came ${age}.`}
            {ended && (
              // A full load, so that the server renders the whole page for the new session.
              <a href={withBase(`/sign-in?next=${encodeURIComponent(page)}`)} className="underline">
                Sign in
              </a>
            )}
          </p>
        )}
      </AnchoredPopover>
    </>
  );
}
