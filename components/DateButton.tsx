"use client";

import { useRef } from "react";
import { CalendarIcon } from "./icons.tsx";
import { Button } from "./ui/Button.tsx";

/** Opens the browser's calendar, and writes the chosen date into the field with this id. Fields also accept typed dates. */
export function DateButton({ field }: { field: string }) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <span className="relative flex-none noscript:hidden">
      <Button size="square" aria-label="Choose a date" onClick={() => input.current?.showPicker()}>
        <CalendarIcon />
      </Button>
      {/* The calendar opens beside it. */}
      <input
        ref={input}
        type="date"
        tabIndex={-1}
        aria-hidden="true"
        className="pointer-events-none absolute inset-0 opacity-0"
        onChange={({ target }) => {
          const written = document.getElementById(field) as HTMLInputElement;
          written.value = target.value;
          written.setCustomValidity("");
        }}
      />
    </span>
  );
}
