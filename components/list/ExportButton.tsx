"use client";

import { lazy, Suspense, useState } from "react";
import { DownloadIcon } from "#components/icons.tsx";
import { Modal } from "#components/Modal.tsx";
import { Button } from "#components/ui/Button.tsx";
import type { Exportable } from "./exportable.ts";

type Choices = typeof import("./ExportChoices.tsx").default;
/** Their code loads when the dialog is opened, which fails while the server is away. */
const ExportChoices = lazy(() =>
  import("./ExportChoices.tsx").catch(() => ({ default: NotLoaded })),
) as Choices;

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

const NotLoaded = () => <p>The export could not be loaded. Reload the page and try again.</p>;
