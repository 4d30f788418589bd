"use client";

import { Fragment, type ReactNode, useId, useState } from "react";
import { CopyButton } from "#components/CopyButton.tsx";
import { Button, buttonClass } from "#components/ui/Button.tsx";
import { curlOf } from "#lib/client/request.ts";
import type { Fields } from "#lib/client/url-state.ts";
import { ExportButton } from "./ExportButton.tsx";
import type { Exportable } from "./export-source.ts";

/** A control for each field of a view, in the toolbar's order; null for a field that has none there. */
export type Controls<Of extends Fields> = { [Name in keyof Of]: ReactNode };

interface Props<Entry> {
  controls: Controls<Fields>;
  /** Controls whose value is not the default, for the button of narrow windows. */
  active: number;
  source: Exportable<Entry>;
  className?: string;
  /** How much of the list is there. */
  aside?: ReactNode;
  /** Controls that are no part of the view, beside that. */
  children?: ReactNode;
}

/** The controls of a list: in a row, and on narrow windows behind one button. */
export function Toolbar<Entry>(props: Props<Entry>) {
  const { controls, active, source, className = "", aside, children } = props;
  const [open, setOpen] = useState(false);
  const id = useId();
  return (
    <div className={`flex flex-wrap items-center gap-2 bg-bg py-2 print:hidden ${className}`}>
      <Button className="sm:hidden" aria-expanded={open} aria-controls={id} onClick={() => setOpen(!open)}>
        Filters{active > 0 && ` (${active})`}
      </Button>
      <div id={id} className={`contents ${open ? "" : "max-sm:hidden"}`}>
        {Object.entries(controls).map(([name, control]) => (
          <Fragment key={name}>{control}</Fragment>
        ))}
        <ExportButton source={source} shortcut="x" />
        <CopyButton
          text={() => curlOf(window.location.origin, source.query)}
          label="this view as cURL"
          shortcut="y"
        >
          API
        </CopyButton>
      </div>
      {(aside || children) && (
        <div className="ml-auto flex flex-wrap items-center gap-x-3 text-text-2">
          {children}
          {aside && <span>{aside}</span>}
        </div>
      )}
    </div>
  );
}

interface SelectProps<Choice extends string | number> {
  label: string;
  value: Choice;
  /** The choices in order, with their words. */
  choices: readonly (readonly [Choice, string])[];
  onChoose: (choice: Choice) => void;
}

/** A control with a few choices. */
export function ChoiceSelect<Choice extends string | number>(props: SelectProps<Choice>) {
  const { label, value, choices, onChoose } = props;
  return (
    <select
      aria-label={label}
      className={buttonClass({ size: "narrow" })}
      value={value}
      onChange={({ target }) => {
        const chosen = choices[target.selectedIndex];
        if (chosen) onChoose(chosen[0]);
      }}
    >
      {choices.map(([choice, words]) => (
        <option key={choice} value={choice}>
          {words}
        </option>
      ))}
    </select>
  );
}
