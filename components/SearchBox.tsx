"use client";

import { type FormEvent, type KeyboardEvent, startTransition, useId, useState } from "react";
import { describeDetected, detect } from "#lib/client/detect.ts";
import { SearchIcon } from "./icons.tsx";
import { openPage } from "./navigation.tsx";
import { Field } from "./ui/Field.tsx";

/** A keyboard on the screen would cover half of the page. */
function focusAtStart(field: HTMLInputElement | null) {
  if (matchMedia("(pointer: fine)").matches) field?.focus({ preventScroll: true });
}

/** Finds an address or a block. `/` focuses the field of the page, or the one in the header. */
export function SearchBox({ variant }: { variant: "header" | "page" }) {
  const [text, setText] = useState("");
  const [tried, setTried] = useState(false);
  const id = useId();
  const detected = detect(text);
  const isFault = detected.kind === "fault";
  // A fault is shown after an attempt, or once the text is long enough to judge.
  const said = isFault && !tried && text.trim().length < 12 ? "" : describeDetected(detected);
  const large = variant === "page";

  function open(newTab: boolean) {
    if (!("path" in detected)) return setTried(true);
    const { path } = detected;
    if (newTab) return void window.open(path, "_blank", "noopener");
    // The search text stays visible until the page is there.
    startTransition(() => {
      openPage(path);
      setText("");
    });
  }

  return (
    <search className="relative block">
      <form
        onSubmit={(event: FormEvent) => {
          event.preventDefault();
          open(false);
        }}
      >
        <label htmlFor={id} className="sr-only">
          Search an address, a block hash or a block number
        </label>
        <div className="relative text-text-3">
          <span
            className={`pointer-events-none absolute inset-y-0 flex items-center ${large ? "left-4" : "left-3"}`}
          >
            <SearchIcon />
          </span>
          <Field
            id={id}
            type="search"
            value={text}
            onChange={(event) => {
              setText(event.target.value);
              setTried(false);
            }}
            onKeyDown={(event: KeyboardEvent) => {
              if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
              event.preventDefault();
              open(true);
            }}
            data-shortcut="/"
            ref={large ? focusAtStart : undefined}
            placeholder="Address, block hash or block number"
            aria-describedby={said ? `${id}-said` : undefined}
            aria-invalid={isFault && said !== ""}
            size={large ? "large" : "medium"}
            className={`w-full ${large ? "ps-11!" : "ps-9!"}`}
          />
        </div>
        <p
          id={`${id}-said`}
          role="status"
          className={`${isFault ? "text-bad" : "text-text-2"} ${
            large
              ? "mt-2 min-h-5"
              : `absolute top-full right-0 left-0 z-40 mt-1 rounded-lg border bg-surface px-3 py-2 shadow-popover ${said ? "" : "hidden"}`
          }`}
        >
          {said}
        </p>
      </form>
    </search>
  );
}
