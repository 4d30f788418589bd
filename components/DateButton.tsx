"use client";

import { useRef } from "react";
import { serverNow } from "#lib/client/clock.ts";
import { CalendarIcon } from "./icons.tsx";
import { Button } from "./ui/Button.tsx";

/** Opens the browser's calendar, and writes the chosen date into the field with this id. Fields also accept typed dates. */
export function DateButton({ field, label }: { field: string; label?: string | undefined }) {
  const input = useRef<HTMLInputElement>(null);
  const textField = () => document.getElementById(field) as HTMLInputElement;
  function open() {
    const { current } = input;
    if (!current) return;
    // Choosing the date that it already has would change nothing. A text that is no date empties it.
    current.value = textField().value;
    current.max = new Date(serverNow()).toISOString().slice(0, 10);
    current.showPicker();
  }
  return (
    <span className="relative flex-none noscript:hidden">
      <Button size="square" aria-label={label ? `Choose a date: ${label}` : "Choose a date"} onClick={open}>
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
          textField().value = target.value;
          textField().setCustomValidity("");
        }}
      />
    </span>
  );
}
