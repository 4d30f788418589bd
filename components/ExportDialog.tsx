"use client";

import { useRef, useState } from "react";
import {
  type ExportFacts,
  type ExportFormat,
  type ExportList,
  exportName,
  exportText,
  type WalkOptions,
  type WalkPause,
  wholeList,
} from "#lib/client/export.ts";
import { failureText } from "#lib/client/failure.ts";
import { countOf, formatCount } from "#lib/client/format.ts";
import type { AnswerTip } from "#lib/client/request.ts";
import type { AssetChange, UtxoEntry } from "#lib/contract/endpoints.ts";
import { Modal } from "./Modal.tsx";
import Pause from "./Pause.tsx";

export interface Exportable<One extends UtxoEntry | AssetChange> {
  list: ExportList;
  /** What the list is of, for the file's name. */
  subject: string;
  /** The request behind the list, as path and query. */
  query: string;
  loaded: {
    rows: readonly One[];
    /** The request that gave them. */
    query: string;
    tip: AnswerTip | null;
    /** They are of another filter or page than the list: its own are not there yet. */
    outdated?: boolean;
  };
  /** Rows of the whole list, as last known; null while not. */
  total: number | null;
  walk: (options: WalkOptions<One>) => Promise<void>;
}

type Progress =
  | { state: "idle" }
  | { state: "walking"; rows: number; paused: WalkPause | null }
  | { state: "stopped"; rows: number; reason: string };

interface Props<One extends UtxoEntry | AssetChange> {
  source: Exportable<One>;
  onClose: () => void;
}

export default function ExportDialog<One extends UtxoEntry | AssetChange>({ source, onClose }: Props<One>) {
  const { list, subject, query, loaded, total } = source;
  const ofAbout = total !== null && `of about ${formatCount(total)} `;
  const [progress, setProgress] = useState<Progress>({ state: "idle" });
  const walk = useRef<{
    controller: AbortController;
    query: string;
    rows: One[];
    tip: AnswerTip | null;
    format: ExportFormat;
  }>(null);

  function save(rows: readonly One[], format: ExportFormat, about: Omit<ExportFacts, "list" | "time">) {
    const time = Date.now();
    download(exportName(list, subject, format, time), exportText(rows, format, { list, time, ...about }));
  }

  async function saveAll(format: ExportFormat) {
    const current = {
      controller: new AbortController(),
      query: wholeList(query),
      rows: [] as One[],
      tip: null as AnswerTip | null,
      format,
    };
    walk.current = current;
    setProgress({ state: "walking", rows: 0, paused: null });
    try {
      await source.walk({
        signal: current.controller.signal,
        onProgress: (rows, paused) => setProgress({ state: "walking", rows, paused }),
        onRows: (rows, tip) => {
          for (const row of rows) current.rows.push(row);
          current.tip = tip;
        },
      });
      save(current.rows, format, { query: current.query, tip: current.tip, complete: true });
      onClose();
    } catch (error) {
      const cancelled = current.controller.signal.aborted;
      const reason = cancelled ? "Cancelled" : failureText(error as Error).title;
      setProgress({ state: "stopped", rows: current.rows.length, reason });
    }
  }

  function close() {
    walk.current?.controller.abort();
    onClose();
  }

  return (
    <Modal
      title="Export"
      onClose={close}
      actions={
        progress.state === "walking" && (
          <button type="button" className="button" onClick={() => walk.current?.controller.abort()}>
            Cancel
          </button>
        )
      }
    >
      {progress.state === "idle" && (
        <>
          <Choice
            title={loaded.outdated ? "Rows loaded" : `Rows loaded (${formatCount(loaded.rows.length)})`}
            note={
              loaded.outdated &&
              "The rows shown are still those of the view before: this one's are not there yet."
            }
            formats={["csv", "json"]}
            disabled={loaded.outdated || loaded.rows.length === 0}
            onChoose={(format) =>
              save(loaded.rows, format, {
                query: loaded.query,
                tip: loaded.tip,
                complete: total !== null && loaded.rows.length >= total,
              })
            }
          />
          <Choice
            title={total === null ? "All rows" : `All rows (${formatCount(total)} as of this page)`}
            note="Reads the list from start to end, with this page's filter and order. No row limit."
            formats={["csv", "ndjson"]}
            onChoose={(format) => void saveAll(format)}
          />
          <p className="text-text-2 text-xs">
            Values are exact and unrounded; names are the chain's own text.
          </p>
        </>
      )}
      {progress.state === "walking" && (
        <div role="status">
          <p>
            {countOf(progress.rows, "row")} {ofAbout}read
          </p>
          {progress.paused && (
            <p>
              <Pause {...progress.paused} />
            </p>
          )}
          <progress
            className="my-3 w-full"
            max={Math.max(total ?? 0, 1)}
            value={total === null ? undefined : progress.rows}
            aria-label="Rows read"
          />
        </div>
      )}
      {progress.state === "stopped" && (
        <div role="alert">
          <p className="font-medium text-bad">{progress.reason}</p>
          <p className="mt-1 text-text-2">
            {countOf(progress.rows, "row")} {ofAbout}were read. A file of them says that it is incomplete.
          </p>
          {progress.rows > 0 && (
            <button
              type="button"
              className="button mt-3"
              onClick={() => {
                const kept = walk.current;
                if (kept) save(kept.rows, kept.format, { query: kept.query, tip: kept.tip, complete: false });
              }}
            >
              Save the incomplete file
            </button>
          )}
        </div>
      )}
    </Modal>
  );
}

interface ChoiceProps {
  title: string;
  note?: string | false | undefined;
  formats: ExportFormat[];
  disabled?: boolean | undefined;
  onChoose: (format: ExportFormat) => void;
}

function Choice({ title, note, formats, disabled = false, onChoose }: ChoiceProps) {
  return (
    <fieldset className="mb-4">
      <legend className="mb-1 font-medium">{title}</legend>
      {note && <p className="mb-2 text-text-2 text-xs">{note}</p>}
      <div className="flex gap-2">
        {formats.map((format) => (
          <button
            key={format}
            type="button"
            className="button"
            disabled={disabled}
            onClick={() => onChoose(format)}
          >
            {format.toUpperCase()}
            <span className="sr-only"> of {title}</span>
          </button>
        ))}
      </div>
    </fieldset>
  );
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
