"use client";

import { useEffect } from "react";
import { openPage } from "#components/navigation.tsx";
import { usePath } from "#components/url-state.ts";
import { changeParameters } from "#lib/client/url-state.ts";

/** Shows the output that `#13` in the address bar names, if the page does not draw it by itself. */
export function MarkedOutput({ count }: { count: number }) {
  const path = usePath();
  useEffect(() => {
    const index = window.location.hash.slice(1);
    if (!/^\d{1,10}$/.test(index) || Number(index) >= count) return;
    const drawn = document.getElementById(index);
    if (drawn) {
      // `:target` does not follow links within the site.
      drawn.ariaCurrent = "true";
      drawn.scrollIntoView({ block: "center" });
    } else openPage(`${changeParameters(path, { output: index })}#${index}`, false);
  }, [path, count]);
  return null;
}
