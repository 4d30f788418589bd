"use client";

import { useEffect, useEffectEvent, useRef, useState } from "react";
import { CloseIcon } from "#components/icons.tsx";
import { Field } from "#components/ui/Field.tsx";
import { IconButton } from "#components/ui/IconButton.tsx";

const TYPING_MS = 250;

interface Props {
  value: string;
  onValue: (value: string) => void;
  /** Names the field, and stands in it while it is empty. */
  label: string;
  clearLabel: string;
  shortcut?: string;
}

/** Filters a moment after the last key, at once on Enter or on leaving the field; Escape clears. */
export function TextFilter({ value, onValue, label, clearLabel, shortcut }: Props) {
  const [text, setText] = useState(value);
  const applied = useRef(value);
  useEffect(() => {
    // Changed from outside: by the Back button, or by clearing all filters.
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
  const clear = () => {
    setText("");
    commit("");
  };
  return (
    <div className="relative flex items-center max-sm:w-full">
      <Field
        aria-label={label}
        value={text}
        data-shortcut={shortcut}
        placeholder={label}
        maxLength={200}
        className="w-full pr-9 sm:w-60"
        onChange={(event) => setText(event.target.value)}
        // A later change of the address bar would cancel the link that the reader follows next.
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
