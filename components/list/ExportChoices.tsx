"use client";

import { useEffect } from "react";
import { Pause } from "#components/Failure.tsx";
import { PartialIndex } from "#components/PartialIndex.tsx";
import { Button } from "#components/ui/Button.tsx";
import type { ExportFormat } from "#lib/client/export.ts";
import { countOf, formatCount } from "#lib/client/format.ts";
import type { Exportable } from "./exportable.ts";
import { type ExportProgress, useExport } from "./use-export.ts";

interface Props<Entry> {
  source: Exportable<Entry>;
  /** Called with whether rows are being read, or have been and are not saved. */
  onRunning: (isRunning: boolean) => void;
  /** Called after a whole list was saved. */
  onSaved: () => void;
}

/** Offers the loaded rows and the whole list as files. It ends a running export when it is removed. */
export default function ExportChoices<Entry>({ source, onRunning, onSaved }: Props<Entry>) {
  const { loaded, total, fileRows } = source;
  const { progress, saveAll, saveLoaded, saveIncomplete, cancel } = useExport(source, onSaved);
  const isRunning = progress !== null;
  useEffect(() => onRunning(isRunning), [onRunning, isRunning]);
  if (progress) return <Reading {...progress} total={total} onSave={saveIncomplete} onCancel={cancel} />;
  return (
    <>
      {fileRows === undefined && (
        <Choice
          title={loaded.outdated ? "Rows loaded" : `Rows loaded (${formatCount(loaded.rows.length)})`}
          note={
            loaded.outdated &&
            "The rows on the page still belong to the previous view. Wait for this one to load."
          }
          formats={["csv", "json"]}
          disabled={loaded.outdated || loaded.rows.length === 0}
          onChoose={saveLoaded}
        />
      )}
      <Choice
        title={total === null ? "All rows" : `All rows (${formatCount(total)} as of this page)`}
        note={`Exports ${fileRows ?? "every matching row, in this page's order"}. No row limit.`}
        formats={["csv", "ndjson"]}
        onChoose={saveAll}
      />
      <PartialIndex tip={loaded.tip} />
      <p className="text-text-2 text-xs">
        CSV is for spreadsheets. JSON, and NDJSON with one row per line, are for programs. Values are exact,
        and names are copied from the chain unchanged.
      </p>
    </>
  );
}

interface ReadingProps extends ExportProgress {
  total: number | null;
  onSave: () => void;
  onCancel: () => void;
}

/** Progress of the export, and choices after a failure. */
function Reading({ rows, paused, reason, failed, total, onSave, onCancel }: ReadingProps) {
  const read = `${countOf(rows, "row")} ${total === null ? "" : `of about ${formatCount(total)} `}`;
  if (reason === undefined) {
    return (
      <div>
        {/* Counts and seconds change too often to be spoken. */}
        <p role="status" className="sr-only">
          {paused ? "Waiting before the next rows" : "Reading rows"}
        </p>
        <p>{read}read</p>
        {paused && (
          <p>
            <Pause {...paused} />
          </p>
        )}
        <progress
          className="my-3 h-2 w-full appearance-none overflow-hidden rounded-[4px] border bg-sunken forced-colors:appearance-auto [&::-moz-progress-bar]:bg-accent [&::-webkit-progress-bar]:bg-transparent [&::-webkit-progress-value]:bg-accent"
          max={Math.max(total ?? 0, 1)}
          value={total === null ? undefined : rows}
          aria-label="Rows read"
        />
        <Button onClick={onCancel}>Cancel</Button>
      </div>
    );
  }
  return (
    <div role="alert">
      <p className={`font-medium ${failed ? "text-bad" : ""}`}>{reason}</p>
      <p className="mt-1 text-text-2">{read}were read. If you save them, the file is marked as incomplete.</p>
      {rows > 0 && (
        <Button className="mt-3" onClick={onSave}>
          Save the incomplete file
        </Button>
      )}
    </div>
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
          <Button key={format} disabled={disabled} onClick={() => onChoose(format)}>
            {format.toUpperCase()}
            <span className="sr-only"> of {title}</span>
          </Button>
        ))}
      </div>
    </fieldset>
  );
}
