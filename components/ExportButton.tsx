"use client";

import { lazy, Suspense, useState } from "react";
import type { AssetChange, UtxoEntry } from "#lib/contract/endpoints.ts";
import type { Exportable } from "./ExportDialog.tsx";

const ExportDialog = lazy(() => import("./ExportDialog.tsx")) as typeof import("./ExportDialog.tsx").default;

/** Opens the ways to save a list. They are fetched when they are first asked for. */
export function ExportButton<One extends UtxoEntry | AssetChange>({ source }: { source: Exportable<One> }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <button
        type="button"
        className="button"
        data-shortcut="x"
        aria-haspopup="dialog"
        onClick={() => setOpen(true)}
      >
        Export
      </button>
      {open && (
        <Suspense>
          <ExportDialog source={source} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
