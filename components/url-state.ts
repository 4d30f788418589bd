"use client";

import { usePathname, useSearchParams } from "next/navigation";
import { type Options, type ParserMap, useQueryStates } from "nuqs";
import { useCallback } from "react";
import type { FieldsOf } from "#lib/client/url-state.ts";

/** Path and query of the page. */
export const usePath = (): string => `${usePathname()}?${useSearchParams()}`;

/** Null stands for the default. Only `history: "push"` adds an entry to the history. */
export type SetView<View> = (
  changes: { [Name in keyof View]?: View[Name] | null },
  options?: Pick<Options, "history">,
) => void;

let written: Promise<unknown> = Promise.resolve();

/** Resolves once the address bar has all changes. A later change would cancel the opening of a page. */
export const addressBarIsWritten = (): Promise<unknown> => written;

/** The view in the address bar, and a function that changes it without a request to the server. */
export function useView<View>(fields: FieldsOf<View>): [View, SetView<View>] {
  const [view, setView] = useQueryStates(fields as ParserMap);
  const set = useCallback<SetView<View>>(
    (changes, options) => {
      written = setView(changes, options);
    },
    [setView],
  );
  return [view as View, set];
}
