"use client";

import { useState } from "react";
import { Button } from "#components/ui/Button.tsx";
import { ExportDialog } from "./ExportDialog.tsx";
import type { Exportable } from "./export-source.ts";

interface Props<Entry> {
  source: Exportable<Entry>;
  /** The key that presses it. */
  shortcut?: string;
}

/** Opens the ways to save a list. */
export function ExportButton<Entry>({ source, shortcut }: Props<Entry>) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button data-shortcut={shortcut} aria-haspopup="dialog" onClick={() => setOpen(true)}>
        Export
      </Button>
      {open && <ExportDialog source={source} onClose={() => setOpen(false)} />}
    </>
  );
}
