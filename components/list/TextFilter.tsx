"use client";

import { useEffect, useEffectEvent, useRef, useState } from "react";
import { CloseIcon } from "#components/icons.tsx";
import { Field } from "#components/ui/Field.tsx";
import { IconButton } from "#components/ui/IconButton.tsx";

const TYPING_MS = 250;

interface Props {
  value: string;
  onValue: (value: string) => void;
  label: string;
  clearLabel: string;
  shortcut?: string;
}

/** Filters when typing pauses, on Enter and when the field loses the focus. Escape clears it. */
export function TextFilter({ value, onValue, label, clearLabel, shortcut }: Props) {
  const [text, setText] = useState(value);
  const applied = useRef(value);
  useEffect(() => {
    // The Back button or a cleared filter changed the value.
    if (value !== applied.current) {
      applied.current = value;
      setText(value);
    }
  }, [value]);
  function commit(next: string) {
    if (next === applied.current) return;
    applied.current = next;
    onValue(next);
  }
  const commitTyped = useEffectEvent(commit);
  useEffect(() => {
    const timer = setTimeout(() => commitTyped(text), TYPING_MS);
    return () => clearTimeout(timer);
  }, [text]);
  const field = useRef<HTMLInputElement>(null);
  const clear = () => {
    setText("");
    commit("");
    field.current?.focus();
  };
  return (
    <div className="relative flex items-center max-sm:w-full">
      <Field
        ref={field}
        aria-label={label}
        value={text}
        data-shortcut={shortcut}
        placeholder={label}
        maxLength={200}
        className="w-full pr-9 sm:w-60"
        onChange={(event) => setText(event.target.value)}
        // A later change of the address bar would cancel a link that the reader follows.
        onBlur={() => commit(text)}
        onKeyDown={(event) => {
          if (event.key === "Enter") commit(text);
          if (event.key === "Escape") clear();
        }}
      />
      {text !== "" && (
        <IconButton className="absolute right-1" aria-label={clearLabel} onClick={clear}>
          <CloseIcon />
        </IconButton>
      )}
    </div>
  );
}
