"use client";

import { Suspense, useState } from "react";
import { DownloadIcon } from "#components/icons.tsx";
import { lazyPart } from "#components/lazy-part.tsx";
import { Modal } from "#components/Modal.tsx";
import { Button } from "#components/ui/Button.tsx";
import type { Exportable } from "./exportable.ts";

/** Their code loads when the dialog is opened, which fails while the server is away. */
const ExportChoices = lazyPart("The export", () => import("./ExportChoices.tsx"));

export function ExportButton<Entry>({ source }: { source: Exportable<Entry> }) {
  const [open, setOpen] = useState(false);
  const [isRunning, setRunning] = useState(false);
  function close() {
    setOpen(false);
    setRunning(false);
  }
  return (
    <>
      <Button tone="bare" data-shortcut="x" aria-haspopup="dialog" onClick={() => setOpen(true)}>
        <DownloadIcon /> Export
      </Button>
      {open && (
        <Modal title="Export" onClose={close} staysOpen={isRunning}>
          <Suspense fallback={<p>Loading…</p>}>
            <ExportChoices source={source} onRunning={setRunning} onSaved={close} />
          </Suspense>
        </Modal>
      )}
    </>
  );
}
