"use client";

import { usePathname, useSearchParams } from "next/navigation";
import { type Options, type ParserMap, useQueryStates } from "nuqs";
import { useCallback } from "react";
import { withoutBase } from "#lib/client/base-path.ts";
import type { FieldsOf } from "#lib/client/url-state.ts";

/** Path and query of the page. */
export const usePath = (): string => `${usePathname()}?${useSearchParams()}`;

/** The same in the address bar. */
export const pathNow = (): string => withoutBase(window.location.pathname) + window.location.search;

/** Only `history: "push"` adds an entry to the history. Back then returns to the earlier view. */
export type SetOptions = Pick<Options, "history">;

/** Null stands for the default. */
export type SetView<View> = (
  changes: { [Name in keyof View]?: View[Name] | null },
  options?: SetOptions,
) => void;

const ROW_PLACE = "rowPlace";

/** Returns the place that this entry of the browser's history keeps for the row that is read; null if it keeps none. */
export const placeInEntry = (): unknown =>
  (window.history.state as Record<string, unknown> | null)?.[ROW_PLACE] ?? null;

/** The place to write again once the address bar is written, because that drops it. */
let lastPlace: unknown = null;
if (typeof window !== "undefined") {
  // The entry to which the reader returns has its own.
  window.addEventListener("popstate", () => {
    lastPlace = null;
  });
}

/** Keeps the place in this entry of the browser's history. */
export function keepInEntry(place: unknown): void {
  lastPlace = place;
  window.history.replaceState({ ...window.history.state, [ROW_PLACE]: place }, "");
}

let written: Promise<unknown> = Promise.resolve();

/** Resolves once the address bar has all changes. A later change would cancel the opening of a page. */
export const addressBarIsWritten = (): Promise<unknown> => written;

/** The view in the address bar, and a function that changes it without a request to the server. */
export function useView<View>(fields: FieldsOf<View>): [View, SetView<View>] {
  const [view, setView] = useQueryStates(fields as ParserMap);
  const set = useCallback<SetView<View>>(
    (changes, options) => {
      // A new entry has no place yet.
      lastPlace = options?.history === "push" ? null : placeInEntry();
      written = setView(changes, options).then(() => {
        if (lastPlace !== null) keepInEntry(lastPlace);
      });
    },
    [setView],
  );
  return [view as View, set];
}
