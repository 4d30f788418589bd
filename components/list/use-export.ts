import { useEffect, useRef, useState } from "react";
import { serverNow } from "#lib/client/clock.ts";
import { download } from "#lib/client/download.ts";
import {
  type ExportFacts,
  type ExportFormat,
  exportName,
  exportText,
  type Subject,
  type WalkOptions,
  type WalkPause,
  walkCursors,
  wholeList,
} from "#lib/client/export.ts";
import { failureText } from "#lib/client/failure.ts";
import type { CsvColumns } from "#lib/client/list.ts";
import type { CursorList } from "#lib/client/queries.ts";
import type { IndexTip } from "#lib/contract/ledger.ts";

export interface Exportable<Entry> {
  list: { name: string; csv: CsvColumns<Entry> };
  /** Describes the rows of a file that does not have those of the page. */
  fileRows?: string;
  subject: Subject;
  /** Path and query of the list's request. */
  query: string;
  loaded: {
    rows: readonly Entry[];
    query: string;
    tip: IndexTip | null;
    /** The rows belong to the previous view. */
    outdated?: boolean;
    /** These are all rows of the list. */
    complete: boolean;
  };
  /** The list follows the tip, so the whole is read as of one block. */
  isLive?: boolean;
  /** Number of rows in the whole list; null if unknown. */
  total: number | null;
  walk: (options: WalkOptions<Entry>) => Promise<void>;
  /** Puts rows in the page's order, if the API does not list them in it. */
  arrange?: ((rows: readonly Entry[]) => readonly Entry[]) | undefined;
}

/**
 * Exports every page of a list, following its cursors. If the list `isLive`, the first page resolves the tip to a block, and the
 * cursors stay with it.
 */
export function exportByCursor<Entry, View, Of extends Record<string, string>>(
  list: CursorList<Entry, View, Of>,
  of: Of,
  view: View,
  isLive = false,
): Omit<Exportable<Entry>, "loaded"> {
  const asOf: { at?: string } = isLive ? { at: "tip" } : {};
  return {
    list,
    subject: of,
    query: list.pathOf(of, view),
    isLive,
    total: null,
    walk: (options) =>
      walkCursors({
        ...options,
        idOf: list.idOf,
        read: (cursor) => list.read(of, view, { cursor, pageSize: list.exportSize, ...asOf }, options.signal),
      }),
  };
}

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
    const text = exportText(arrange(rows), format, list.csv, { subject, time, ...about });
    download(exportName(list.name, subject, format, time), text);
  }

  async function saveAll(format: ExportFormat) {
    const controller = new AbortController();
    const read: Entry[] = [];
    let tip: IndexTip | null = null;
    const saveRead = (complete: boolean) => {
      const query = wholeList(source.query, source.isLive ? tip?.hash : undefined);
      save(read, format, { query, tip, complete });
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
