"use client";

import { type Options, useQueryStates } from "nuqs";
import type { FieldsOf } from "#lib/client/url-state.ts";

/** Null stands for the default. Without `history: "push"` the history gets no entry. */
export type SetView<View> = (
  changes: { [Name in keyof View]?: View[Name] | null },
  options?: Pick<Options, "history">,
) => void;

/** The view in the address bar, and how to change it without asking the server for the page again. */
export function useView<View>(fields: FieldsOf<View>): [View, SetView<View>] {
  return useQueryStates(fields) as unknown as [View, SetView<View>];
}
