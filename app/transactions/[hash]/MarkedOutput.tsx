"use client";

import { usePathname, useRouter } from "next/navigation";
import { useEffect, useRef, useState } from "react";
import { placeInHistory } from "#components/table/row-place.ts";
import { Notice } from "#components/ui/Notice.tsx";
import { usePath } from "#components/url-state.ts";
import { countOf } from "#lib/client/format.ts";
import { changeParameters, NO_PLACE } from "#lib/client/url-state.ts";

interface Props {
  hash: string;
  /** Number of its outputs; null if that is unknown. */
  count: number | null;
}

/** Shows the output that `#13` in the address bar names: in the drawing, or else in the list, which opens at it. */
export function MarkedOutput({ hash, count }: Props) {
  const [path, pathname] = [usePath(), usePathname()];
  const router = useRouter();
  const shown = useRef("");
  const marked = useRef<HTMLElement>(null);
  const [missing, setMissing] = useState<number | null>(null);
  useEffect(() => {
    const show = () => {
      const fragment = window.location.hash;
      const output = new URLSearchParams(path.split("?")[1]).get("output") ?? "";
      // The list writes its place to the path while it is read.
      const named = `${pathname}${fragment} ${output}`;
      if (shown.current === named) return;
      shown.current = named;
      const index = /^#\d{1,10}$/.test(fragment) ? Number(fragment.slice(1)) : null;
      const isMissing = index !== null && count !== null && index >= count;
      setMissing(isMissing ? index : null);
      if (marked.current) marked.current.ariaCurrent = null;
      if (index === null || isMissing) return;
      const drawn = document.getElementById(String(index));
      // Phones hide the drawing.
      if (drawn?.checkVisibility()) {
        // `:target` does not follow links within the site.
        drawn.ariaCurrent = "true";
        marked.current = drawn;
        if (!placeInHistory()) drawn.scrollIntoView({ block: "center" });
      } else if (output !== String(index)) {
        const place = index > 0 ? { from: `${hash}:${index - 1}`, row: String(index + 1) } : {};
        const changes = { tab: "outputs", ...NO_PLACE, ...place, output: String(index) };
        const list = changeParameters(path, changes);
        router.replace(list + fragment, { scroll: false });
      }
    };
    show();
    window.addEventListener("hashchange", show);
    return () => window.removeEventListener("hashchange", show);
  }, [path, pathname, router, hash, count]);
  return (
    missing !== null &&
    count !== null && (
      <Notice title={`This transaction has no output #${missing}`} className="mb-1">
        It has {countOf(count, "output")}, counted from #0.
      </Notice>
    )
  );
}
