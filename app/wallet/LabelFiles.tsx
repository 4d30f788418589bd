"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useEffectEvent, useId, useRef, useState } from "react";
import { Button, buttonClass } from "#components/ui/Button.tsx";
import { Section } from "#components/ui/Section.tsx";
import { useStored } from "#components/use-stored.ts";
import { download } from "#lib/client/download.ts";
import { countOf, formatCount } from "#lib/client/format.ts";
import { exportLabels, labelCount, MAX_LABEL_FILE, storedLabels } from "#lib/client/labels.ts";
import { addressForms, chainStatus } from "#lib/client/queries.ts";
import { NOT_STORED } from "#lib/client/stored.ts";

/** Reads and writes the labels of addresses as BIP 329 files, which many wallets share. */
export default function LabelFiles() {
  const labels = useStored(storedLabels);
  const client = useQueryClient();
  const [said, setSaid] = useState("");
  const [isSure, setSure] = useState(false);
  const id = useId();

  const field = useRef<HTMLInputElement>(null);

  async function read(input: HTMLInputElement) {
    const [file] = input.files ?? [];
    // The same file can be chosen again.
    input.value = "";
    if (!file) return;
    if (file.size > MAX_LABEL_FILE) {
      return setSaid(`The file has more than ${formatCount(MAX_LABEL_FILE)} bytes.`);
    }
    setSaid("Reading the file…");
    const [text, status, module] = await Promise.all([
      file.text().catch(() => null),
      client.ensureQueryData(chainStatus()).catch(() => null),
      import("#lib/client/labels-file.ts").catch(() => null),
    ]);
    if (text === null) return setSaid("The file could not be read.");
    if (module === null) return setSaid("The import could not be loaded. Reload the page and try again.");
    const found = await module.importLabels(storedLabels, text, status?.network ?? null, (addresses) =>
      client.fetchQuery(addressForms(addresses)),
    );
    const stored = found.labels === null || storedLabels.write(found.labels);
    setSaid(stored ? found.message : NOT_STORED);
  }

  const readEarly = useEffectEvent(() => field.current && void read(field.current));
  // A file may have been chosen before this part could answer.
  useEffect(() => {
    readEarly();
  }, []);

  /** The second press removes them. */
  function remove() {
    setSure(!isSure);
    if (isSure) setSaid(storedLabels.write([]) ? "All labels were removed." : NOT_STORED);
  }

  return (
    <Section title="Labels">
      <p className="mb-3 max-w-[65ch] text-text-2">
        {labelCount(labels)}. Pages show a label wherever its address appears. Labels leave this browser only
        in a file that you export (BIP 329).
      </p>
      <div className="flex flex-wrap gap-2">
        <label htmlFor={id} className={buttonClass({}, "cursor-pointer focus-within:outline-2")}>
          Import labels
          <input
            ref={field}
            id={id}
            type="file"
            accept=".jsonl,.json,.txt"
            className="sr-only"
            onChange={(event) => void read(event.currentTarget)}
          />
        </label>
        <Button
          disabled={labels.length === 0}
          onClick={() => download("labels.jsonl", [exportLabels(labels)])}
        >
          Export labels
        </Button>
        <Button tone="bare" disabled={labels.length === 0} onClick={remove} onBlur={() => setSure(false)}>
          {isSure ? `Remove ${countOf(labels.length, "label")}?` : "Remove all"}
        </Button>
      </div>
      <p role="status" className="mt-2 text-text-2">
        {said}
      </p>
    </Section>
  );
}
