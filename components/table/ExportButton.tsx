"use client";

import { lazy, Suspense, useState } from "react";
import { Button } from "#components/ui/Button.tsx";
import type { Exportable } from "./export-source.ts";

const ExportDialog = lazy(() => import("./ExportDialog.tsx")) as typeof import("./ExportDialog.tsx").default;

interface Props<Entry> {
  source: Exportable<Entry>;
  /** The key that presses it. */
  shortcut?: string;
}

/** Opens the ways to save a list. Their code is fetched when it is first asked for. */
export function ExportButton<Entry>({ source, shortcut }: Props<Entry>) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button data-shortcut={shortcut} aria-haspopup="dialog" onClick={() => setOpen(true)}>
        Export
      </Button>
      {open && (
        <Suspense>
          <ExportDialog source={source} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
