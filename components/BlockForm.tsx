"use client";

import { usePathname } from "next/navigation";
import type { FormEvent } from "react";
import { detect } from "#lib/client/detect.ts";
import { changeParameters } from "#lib/client/url-state.ts";
import { openPage } from "./navigation.tsx";
import { Button } from "./ui/Button.tsx";
import { Field } from "./ui/Field.tsx";

interface Props {
  parameter: string;
  value: string;
  label: string;
  action: string;
}

/** A hash has 66 characters; the rest allows for pasted spaces. */
const MAX_LENGTH = 100;

export function BlockForm({ parameter, value, label, action }: Props) {
  const pathname = usePathname();
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const field = event.currentTarget.elements.namedItem(parameter) as HTMLInputElement;
    const text = field.value.trim();
    const { kind } = detect(text);
    if (kind !== "block-number" && kind !== "block-hash") {
      field.setCustomValidity("Give a block number or a block hash.");
      field.reportValidity();
      return;
    }
    openPage(changeParameters(pathname + window.location.search, { [parameter]: text }), false);
  };
  return (
    <form className="flex items-center gap-2 max-sm:w-full" onSubmit={submit}>
      <Field
        aria-label={label}
        placeholder={label}
        name={parameter}
        defaultValue={value}
        required
        maxLength={MAX_LENGTH}
        className="w-64 max-sm:flex-1"
        onInput={({ currentTarget }) => currentTarget.setCustomValidity("")}
      />
      <Button type="submit">{action}</Button>
    </form>
  );
}
