"use client";

import { Pause } from "#components/Failure.tsx";
import { Modal } from "#components/Modal.tsx";
import { PartialIndex } from "#components/PartialIndex.tsx";
import { Button } from "#components/ui/Button.tsx";
import type { ExportFormat } from "#lib/client/export.ts";
import { countOf, formatCount } from "#lib/client/format.ts";
import type { Exportable } from "./export-source.ts";
import { type ExportProgress, useExport } from "./use-export.ts";

interface Props<Entry> {
  source: Exportable<Entry>;
  onClose: () => void;
}

export function ExportDialog<Entry>({ source, onClose }: Props<Entry>) {
  const { loaded, total } = source;
  const { progress, saveAll, saveLoaded, saveIncomplete, cancel } = useExport(source, onClose);

  function close() {
    cancel();
    onClose();
  }

  return (
    <Modal
      title="Export"
      onClose={close}
      actions={progress.state === "walking" && <Button onClick={cancel}>Cancel</Button>}
    >
      {progress.state === "idle" && (
        <>
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
          <Choice
            title={total === null ? "All rows" : `All rows (${formatCount(total)} as of this page)`}
            note="Exports every matching row, in this page's order. No row limit."
            formats={["csv", "ndjson"]}
            onChoose={(format) => void saveAll(format)}
          />
          <PartialIndex tip={loaded.tip} />
          <p className="text-text-2 text-xs">
            Values are exact and unrounded; names are copied from the chain unchanged.
          </p>
        </>
      )}
      {progress.state === "walking" && <Walking {...progress} total={total} />}
      {progress.state === "stopped" && <Stopped {...progress} total={total} onSave={saveIncomplete} />}
    </Modal>
  );
}

type Stage<State> = Extract<ExportProgress, { state: State }> & { total: number | null };

const ofAbout = (total: number | null) => total !== null && `of about ${formatCount(total)} `;

function Walking({ rows, paused, total }: Stage<"walking">) {
  return (
    <div role="status">
      <p>
        {countOf(rows, "row")} {ofAbout(total)}read
      </p>
      {paused && (
        <p>
          <Pause {...paused} />
        </p>
      )}
      <progress
        className="my-3 w-full"
        max={Math.max(total ?? 0, 1)}
        value={total === null ? undefined : rows}
        aria-label="Rows read"
      />
    </div>
  );
}

function Stopped({ rows, reason, total, onSave }: Stage<"stopped"> & { onSave: () => void }) {
  return (
    <div role="alert">
      <p className="font-medium text-bad">{reason}</p>
      <p className="mt-1 text-text-2">
        {countOf(rows, "row")} {ofAbout(total)}were read. If you save them, the file is marked as incomplete.
      </p>
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
