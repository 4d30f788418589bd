import { useRef, useState } from "react";
import {
  type ExportFacts,
  type ExportFormat,
  exportName,
  exportText,
  type WalkPause,
  wholeList,
} from "#lib/client/export.ts";
import { failureText } from "#lib/client/failure.ts";
import type { AnswerTip } from "#lib/client/request.ts";
import type { Exportable } from "./export-source.ts";

export type ExportProgress =
  | { state: "idle" }
  | { state: "walking"; rows: number; paused: WalkPause | null }
  | { state: "stopped"; rows: number; reason: string };

interface Walk<Entry> {
  controller: AbortController;
  query: string;
  rows: Entry[];
  tip: AnswerTip | null;
  format: ExportFormat;
}

/** Saves what is loaded, or reads the whole list and saves that. `onSaved` follows a whole list. */
export function useExport<Entry>(source: Exportable<Entry>, onSaved: () => void) {
  const { list, subject, loaded, total } = source;
  const [progress, setProgress] = useState<ExportProgress>({ state: "idle" });
  const walk = useRef<Walk<Entry>>(null);

  function save(rows: readonly Entry[], format: ExportFormat, about: Omit<ExportFacts, "time">) {
    const time = Date.now();
    const text = exportText(rows, format, list.csv, { time, ...about });
    download(exportName(list.name, subject, format, time), text);
  }

  async function saveAll(format: ExportFormat) {
    const controller = new AbortController();
    const current: Walk<Entry> = { controller, query: wholeList(source.query), rows: [], tip: null, format };
    walk.current = current;
    setProgress({ state: "walking", rows: 0, paused: null });
    try {
      await source.walk({
        signal: controller.signal,
        onProgress: (rows, paused) => setProgress({ state: "walking", rows, paused }),
        onRows: (rows, tip) => {
          for (const row of rows) current.rows.push(row);
          current.tip = tip;
        },
      });
      save(current.rows, format, { query: current.query, tip: current.tip, complete: true });
      onSaved();
    } catch (error) {
      const reason = controller.signal.aborted ? "Cancelled" : failureText(error as Error).title;
      setProgress({ state: "stopped", rows: current.rows.length, reason });
    }
  }

  return {
    progress,
    saveAll,
    saveLoaded: (format: ExportFormat) =>
      save(loaded.rows, format, {
        query: loaded.query,
        tip: loaded.tip,
        complete: total !== null && loaded.rows.length >= total,
      }),
    saveIncomplete: () => {
      const kept = walk.current;
      if (kept) save(kept.rows, kept.format, { query: kept.query, tip: kept.tip, complete: false });
    },
    cancel: () => walk.current?.controller.abort(),
  };
}

const KEEP_MS = 60_000;

function download(name: string, text: string) {
  const url = URL.createObjectURL(new Blob([text], { type: "application/octet-stream" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  // The browser reads the file after this call has returned.
  setTimeout(() => URL.revokeObjectURL(url), KEEP_MS);
}
