import { useEffect, useRef, useState } from "react";
import { serverNow } from "#lib/client/clock.ts";
import { download } from "#lib/client/download.ts";
import {
  type ExportFacts,
  type ExportFormat,
  exportName,
  exportPieces,
  wholeList,
} from "#lib/client/export.ts";
import { failureText } from "#lib/client/failure.ts";
import type { WalkPause } from "#lib/client/walks.ts";
import type { IndexTip } from "#lib/contract/ledger.ts";
import type { Exportable } from "./exportable.ts";

export interface ExportProgress {
  rows: number;
  paused?: WalkPause | null;
  /** Why the export stopped; unset while it runs. */
  reason?: string;
  /** False if the reader cancelled it. */
  failed?: boolean;
}

/** Saves the loaded rows, or reads and saves the whole list. Calls `onSaved` after a whole list. */
export function useExport<Entry>(source: Exportable<Entry>, onSaved: () => void) {
  const { list, subject, loaded, arrange = (rows) => rows } = source;
  const [progress, setProgress] = useState<ExportProgress | null>(null);
  const walk = useRef<{ abort: () => void; save: (complete: boolean) => void }>(null);
  // Back leaves the page without closing the dialog.
  useEffect(() => () => walk.current?.abort(), []);

  function save(rows: readonly Entry[], format: ExportFormat, about: Omit<ExportFacts, "time" | "subject">) {
    const time = serverNow();
    const pieces = exportPieces(arrange(rows), format, list.csv, { subject, time, ...about });
    download(exportName(list.name, subject, format, time), pieces);
  }

  async function saveAll(format: ExportFormat) {
    const controller = new AbortController();
    const read: Entry[] = [];
    let tip: IndexTip | null = null;
    const saveRead = (complete: boolean) => {
      const query = wholeList(source.query, source.isLive ? tip?.hash : undefined);
      save(read, format, { query, tip, complete: complete && !source.isPart });
    };
    walk.current = { abort: () => controller.abort(), save: saveRead };
    setProgress({ rows: 0 });
    try {
      await source.walk({
        signal: controller.signal,
        onProgress: (rows, paused) => setProgress({ rows, paused }),
        onRows(rows, tipOfRows) {
          for (const row of rows) read.push(row);
          tip = tipOfRows;
        },
      });
      saveRead(true);
      onSaved();
    } catch (error) {
      const failed = !controller.signal.aborted;
      const reason = failed ? failureText(error as Error).title : "Cancelled";
      setProgress({ rows: read.length, reason, failed });
    }
  }

  return {
    /** Progress of reading the whole list; null before it starts. */
    progress,
    saveAll: (format: ExportFormat) => void saveAll(format),
    saveLoaded(format: ExportFormat) {
      const { rows, ...about } = loaded;
      save(rows, format, about);
    },
    saveIncomplete: () => walk.current?.save(false),
    cancel: () => walk.current?.abort(),
  };
}
