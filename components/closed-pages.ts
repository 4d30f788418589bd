"use client";

import { createContext, use } from "react";

/** How the paths begin that the reader's access token does not open. */
export const ClosedPages = createContext<readonly string[]>([]);

/** Whether the page at a path of this site is one of those. */
export function useIsClosed(path: string): boolean {
  return use(ClosedPages).some((start) => path.startsWith(start));
}
