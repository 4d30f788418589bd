import type { QueryClient } from "@tanstack/react-query";
import type { EventData } from "#lib/contract/events.ts";
import { withBase } from "./base-path.ts";
import { chainStatus, setFollowed } from "./queries.ts";

const PATH = withBase("/v0/events");
/** Limits how often news are told: an index that catches up adds hundreds of blocks in a second. */
const EVERY_MS = 5_000;
/** A computer that slept may have a dead connection, and nobody says so. */
const CHECK_MS = 5_000;
const SLEPT_MS = 4 * CHECK_MS;
/** A stream that the server refused is asked for again after so long. */
const REFUSED_MS = 60_000;

/** Keeps the chain's status up to date by events while the page is visible; returns how to stop. */
export function followTip(client: QueryClient): () => void {
  const status = chainStatus();
  let stream: EventSource | null = null;
  let retry: ReturnType<typeof setTimeout> | undefined;
  let waiting: ReturnType<typeof setTimeout> | undefined;
  let newest: EventData<"block"> | null = null;
  let told = 0;
  let isOpen = false;

  function note(open: boolean) {
    if (open === isOpen) return;
    isOpen = open;
    setFollowed(open);
    if (!open) void client.invalidateQueries(status);
  }

  /** Tells the last of what came, at once or once enough time has passed; null: the tip may be another one. */
  function tell(block: EventData<"block"> | null) {
    newest = block;
    waiting ??= setTimeout(
      () => {
        waiting = undefined;
        told = Date.now();
        if (newest === null) return void client.invalidateQueries(status);
        const { height, hash, time } = newest;
        const tip = { height, hash, time: Date.parse(time) };
        client.setQueryData(status.queryKey, (known) => known && { ...known, tip });
      },
      Math.min(Math.max(told + EVERY_MS - Date.now(), 0), EVERY_MS),
    );
  }

  function close() {
    clearTimeout(retry);
    stream?.close();
    stream = null;
  }

  function open() {
    close();
    if (document.visibilityState === "hidden") return;
    const opened = new EventSource(PATH);
    stream = opened;
    opened.addEventListener("block", ({ data }) => tell(JSON.parse(data) as EventData<"block">));
    for (const name of ["start", "block-removed", "reset"]) opened.addEventListener(name, () => tell(null));
    opened.onopen = () => note(true);
    opened.onerror = () => {
      note(false);
      // Otherwise the browser connects again, and resumes after the last event.
      if (opened.readyState === EventSource.CLOSED) retry = setTimeout(open, REFUSED_MS);
    };
  }

  let looked = Date.now();
  const watch = setInterval(() => {
    const slept = Date.now() - looked > SLEPT_MS;
    looked = Date.now();
    if (slept) open();
  }, CHECK_MS);
  const ended = new AbortController();
  const { signal } = ended;
  document.addEventListener("visibilitychange", open, { signal });
  window.addEventListener("online", open, { signal });
  open();
  return () => {
    ended.abort();
    clearInterval(watch);
    clearTimeout(waiting);
    close();
    setFollowed(false);
  };
}
