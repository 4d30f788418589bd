"use client";

import { type ReactNode, useId, useState } from "react";
import { Button } from "./Button.tsx";

interface Props {
  /** The word on the button. */
  label: string;
  className?: string;
  children: ReactNode;
}

/** A part of a page's head that phones show behind a button, in the second column of the head's grid. */
export function Fold({ label, className = "", children }: Props) {
  const [open, setOpen] = useState(false);
  const id = useId();
  return (
    <>
      <Button
        className="col-start-2 row-start-1 self-end sm:hidden"
        aria-expanded={open}
        aria-controls={id}
        onClick={() => setOpen(!open)}
      >
        {label}
      </Button>
      <div
        id={id}
        className={`min-w-0 max-sm:col-span-full max-sm:mt-2 ${open ? "" : "max-sm:hidden"} ${className}`}
      >
        {children}
      </div>
    </>
  );
}
