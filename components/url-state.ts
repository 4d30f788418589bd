"use client";

import { useSearchParams } from "next/navigation";
import { useCallback, useState } from "react";
import {
  type Changes,
  changeUrlState,
  type Fields,
  isSameState,
  readUrlState,
  type ValuesOf,
} from "#lib/client/url-state.ts";

export type SetUrlState<Of extends Fields> = (changes: Changes<Of>, history?: "replace" | "push") => void;

/**
 * The view's state in the address bar, and how to change it without asking the server for the page again.
 * `fields` must not change.
 */
export function useUrlState<Of extends Fields>(fields: Of): [ValuesOf<Of>, SetUrlState<Of>] {
  const search = useSearchParams().toString();
  const [state, setState] = useState(() => ({
    search,
    values: readUrlState(fields, new URLSearchParams(search)),
  }));
  let { values } = state;
  if (state.search !== search) {
    const read = readUrlState(fields, new URLSearchParams(search));
    if (!isSameState(fields, read, values)) values = read;
    setState({ search, values });
  }
  const change = useCallback<SetUrlState<Of>>(
    (changes, history = "replace") => {
      const next = changeUrlState(fields, window.location.search, changes);
      const url = window.location.pathname + next + window.location.hash;
      // The framework follows the address bar a moment later; controls show what was chosen at once.
      setState((before) => ({ ...before, values: readUrlState(fields, new URLSearchParams(next)) }));
      if (history === "push") window.history.pushState(null, "", url);
      else window.history.replaceState(null, "", url);
    },
    [fields],
  );
  return [values, change];
}
