"use client";

import { usePathname } from "next/navigation";
import { type FormEvent, useState } from "react";
import { changeParameters } from "#lib/client/url-state.ts";
import { openPage } from "./navigation.tsx";
import { Button } from "./ui/Button.tsx";
import { Field } from "./ui/Field.tsx";

interface Props {
  /** The parameter of the address bar that names the block. */
  parameter: string;
  value: string;
  label: string;
  action: string;
}

/** A hash has 66 characters; the rest is for spaces and separators that are pasted with it. */
const MAX_LENGTH = 100;

/** Asks for a block and opens the same page with it. */
export function BlockForm({ parameter, value, label, action }: Props) {
  const [text, setText] = useState(value);
  const pathname = usePathname();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const { search } = window.location;
    openPage(changeParameters(pathname + search, { [parameter]: text.trim() }), false);
  };
  return (
    <form className="flex items-center gap-2 max-sm:w-full" onSubmit={submit}>
      <Field
        type="text"
        aria-label={label}
        placeholder={label}
        value={text}
        autoComplete="off"
        spellCheck={false}
        required
        maxLength={MAX_LENGTH}
        className="w-64 max-sm:flex-1"
        onChange={(event) => setText(event.target.value)}
      />
      <Button type="submit">{action}</Button>
    </form>
  );
}
