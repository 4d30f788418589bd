"use client";

import { type FormEvent, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { MAX_LABEL, storedLabels, withLabel } from "#lib/client/labels.ts";
import { NOT_STORED, tooManyStored } from "#lib/client/stored.ts";
import { announce } from "./announce.ts";
import { useLabel } from "./labels.tsx";
import { Button } from "./ui/Button.tsx";
import { Field, focusOn } from "./ui/Field.tsx";

/** A button that becomes a field for the label of an address. An empty field removes the label. */
export function LabelButton({ address }: { address: string }) {
  const label = useLabel(address);
  const [isOpen, setOpen] = useState(false);
  const [fault, setFault] = useState("");
  const button = useRef<HTMLButtonElement>(null);
  function close() {
    // The field goes away, so its focus goes back to the button.
    flushSync(() => setOpen(false));
    button.current?.focus();
    setFault("");
  }
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const given = String(new FormData(event.currentTarget).get("label")).trim();
    const labels = withLabel(storedLabels.items(), { ref: address, label: given });
    if (labels.length > storedLabels.most) return setFault(tooManyStored(storedLabels, "labels"));
    if (!storedLabels.write(labels)) return setFault(NOT_STORED);
    announce(given === "" ? "Label removed" : "Label saved in this browser", true);
    close();
  }
  if (!isOpen) {
    return (
      <Button
        ref={button}
        size="narrow"
        className="print:hidden"
        onClick={() => setOpen(true)}
        title="Labels stay in this browser"
        aria-label={label === undefined ? undefined : "Edit label"}
      >
        {label === undefined ? "+ Label" : "Edit"}
      </Button>
    );
  }
  return (
    <form
      className="flex min-w-0 flex-wrap items-center gap-1.5"
      onSubmit={submit}
      onKeyDown={({ key }) => key === "Escape" && close()}
    >
      <Field
        name="label"
        aria-label="Label of this address"
        defaultValue={label}
        maxLength={MAX_LABEL}
        ref={focusOn}
        className="w-44"
      />
      <Button type="submit" size="narrow">
        Save
      </Button>
      <Button tone="bare" size="narrow" onClick={close}>
        Cancel
      </Button>
      {fault !== "" && (
        <span role="alert" className="text-bad">
          {fault}
        </span>
      )}
    </form>
  );
}
