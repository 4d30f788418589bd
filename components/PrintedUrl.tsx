"use client";

import { usePath } from "./url-state.ts";

/** The page's URL on printouts, which have no controls: it names the filters. `site`: the URL of this site. */
export const PrintedUrl = ({ site }: { site: string }) => (
  <p
    // Browsers and servers encode paths differently.
    suppressHydrationWarning
    className="hidden pt-4 text-text-2 text-xs wrap-anywhere print:block"
  >
    {site + usePath().replace(/\?$/, "")}
  </p>
);
