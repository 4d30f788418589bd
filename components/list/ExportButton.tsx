"use client";

import { lazy, Suspense, useState } from "react";
import { DownloadIcon } from "#components/icons.tsx";
import { Modal } from "#components/Modal.tsx";
import { Button } from "#components/ui/Button.tsx";
import type { Exportable } from "./exportable.ts";

type Dialog = typeof import("./ExportDialog.tsx").default;
/** Its code loads when it is opened, which fails while the server is away. */
const ExportDialog = lazy(() => import("./ExportDialog.tsx").catch(() => ({ default: NotLoaded }))) as Dialog;

export function ExportButton<Entry>({ source }: { source: Exportable<Entry> }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button tone="bare" data-shortcut="x" aria-haspopup="dialog" onClick={() => setOpen(true)}>
        <DownloadIcon /> Export
      </Button>
      {open && (
        <Suspense>
          <ExportDialog source={source} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}

function NotLoaded({ onClose }: { onClose: () => void }) {
  return (
    <Modal title="Export" onClose={onClose}>
      The export could not be loaded. Reload the page and try again.
    </Modal>
  );
}
