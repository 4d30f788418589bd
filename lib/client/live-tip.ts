import type { QueryClient } from "@tanstack/react-query";
import type { EventData } from "#lib/contract/events.ts";
import { withBase } from "./base-path.ts";
import { chainStatus, setFollowed } from "./queries.ts";

const PATH = withBase("/v0/events");
/** Time between updates of the page: an index that catches up adds hundreds of blocks per second. */
const EVERY_MS = 5_000;
/** After a sleep, the computer's connection may be dead without an error. */
const CHECK_MS = 5_000;
const SLEPT_MS = 4 * CHECK_MS;
/** Time until a stream that the server refused is requested again. */
const REFUSED_MS = 60_000;

/** Keeps the chain's status up to date by events while the page is visible. Returns a function that stops it. */
export function followTip(client: QueryClient): () => void {
  const status = chainStatus();
  let stream: EventSource | null = null;
  let retry: ReturnType<typeof setTimeout> | undefined;
  let waiting: ReturnType<typeof setTimeout> | undefined;
  let newest: EventData<"block"> | null = null;
  let updatedAt = 0;
  let isOpen = false;

  function setOpen(open: boolean) {
    if (open === isOpen) return;
    isOpen = open;
    setFollowed(open);
    if (!open) void client.invalidateQueries(status);
  }

  /** Shows the newest block, at once or when the next update is due. Null requests the status. */
  function update(block: EventData<"block"> | null) {
    newest = block;
    waiting ??= setTimeout(
      () => {
        waiting = undefined;
        updatedAt = Date.now();
        if (newest === null) return void client.invalidateQueries(status);
        const { height, hash, time } = newest;
        const tip = { height, hash, time: Date.parse(time) };
        client.setQueryData(status.queryKey, (cached) => cached && { ...cached, tip });
      },
      Math.min(Math.max(updatedAt + EVERY_MS - Date.now(), 0), EVERY_MS),
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
    opened.addEventListener("block", ({ data }) => update(JSON.parse(data) as EventData<"block">));
    for (const name of ["start", "block-removed", "reset"]) opened.addEventListener(name, () => update(null));
    opened.onopen = () => setOpen(true);
    opened.onerror = () => {
      setOpen(false);
      // After other errors the browser reconnects, and resumes after the last event.
      if (opened.readyState === EventSource.CLOSED) retry = setTimeout(open, REFUSED_MS);
    };
  }

  let checkedAt = Date.now();
  const watch = setInterval(() => {
    const slept = Date.now() - checkedAt > SLEPT_MS;
    checkedAt = Date.now();
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
