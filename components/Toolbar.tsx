"use client";

import { type ReactNode, useId, useState } from "react";

interface Props {
  /** Choices that differ from the default, for the button of narrow screens. */
  active: number;
  aside?: ReactNode;
  children: ReactNode;
}

/** The controls of a list: in a row, and on narrow screens behind one button. */
export function Toolbar({ active, aside, children }: Props) {
  const [open, setOpen] = useState(false);
  const id = useId();
  return (
    <div className="toolbar no-print">
      <button
        type="button"
        className="button sm:hidden"
        aria-expanded={open}
        aria-controls={id}
        onClick={() => setOpen(!open)}
      >
        Filters{active > 0 && ` (${active})`}
      </button>
      <div id={id} className={`contents ${open ? "" : "max-sm:hidden"}`}>
        {children}
      </div>
      {aside && <span className="ml-auto text-text-2">{aside}</span>}
    </div>
  );
}
