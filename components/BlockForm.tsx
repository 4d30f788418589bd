"use client";

import { usePathname, useSearchParams } from "next/navigation";
import { type FormEvent, useId } from "react";
import { detect, referenceIn } from "#lib/client/detect.ts";
import { formatCount } from "#lib/client/format.ts";
import { changeParameters } from "#lib/client/url-state.ts";
import { DateButton } from "./DateButton.tsx";
import { openPage } from "./navigation.tsx";
import { Button } from "./ui/Button.tsx";
import { Field } from "./ui/Field.tsx";

interface Props {
  parameter: string;
  value: string;
  action: string;
  label?: string;
  /** A short text for the empty field, in place of the label. The field is narrower. */
  hint?: string;
  /** Other parameters that the page is opened with. */
  along?: Readonly<Record<string, string>> | undefined;
  /** Without a value, the parameter is removed. */
  isOptional?: boolean;
}

const NONE: Readonly<Record<string, string>> = {};

const LABEL = "Block number, hash or date";
/** A hash has 66 characters; the rest allows for pasted spaces. */
const MAX_LENGTH = 100;

/** Removes what belongs to the former state: places in a list, and its end. */
const OTHER_STATE = { to: "", from: "", row: "", page: "", missing: "" };

/** The value of the field for a block that a page's parameter names: numbers are grouped. */
export const shownBlock = (named: string): string =>
  /^\d+$/.test(named) ? formatCount(Number(named)) : named;

interface OthersProps {
  /** Names of parameters to leave out. */
  but: readonly string[];
  /** Further parameters, of which `""` stands for none. */
  along?: Readonly<Record<string, string>>;
}

/** Fields with the page's other parameters, for forms that work without scripts. */
export function OtherParameters({ but, along = NONE }: OthersProps) {
  const kept = [...useSearchParams()].filter(([name]) => !but.includes(name));
  const added = Object.entries(along).filter(([, value]) => value !== "");
  // React reads properties of the form, such as parentNode, which a field of that name would hide. Our names have small letters.
  const others = [...kept, ...added].filter(([name]) => /^[a-z]+$/.test(name));
  return others.map(([name, value], at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: names repeat, and the fields have no state
    <input key={at} type="hidden" name={name} value={value} />
  ));
}

/** Opens the page with a parameter that names a block by number, hash or date. Works without scripts. */
export function BlockForm(props: Props) {
  const { parameter, value, action, label = LABEL, hint, along = NONE, isOptional = false } = props;
  const pathname = usePathname();
  const change = { ...OTHER_STATE, ...along };
  const id = useId();
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const field = document.getElementById(id) as HTMLInputElement;
    const text = field.value.trim();
    const reference = isOptional && text === "" ? "" : referenceIn(text);
    if (reference === undefined) {
      const found = detect(text);
      const isNearly = found.kind === "fault" && !found.isName;
      field.setCustomValidity(
        isNearly ? `${found.message}.` : "Enter a block number, a block hash or a date.",
      );
      field.reportValidity();
      return;
    }
    field.closest<HTMLElement>("[popover]")?.hidePopover();
    openPage(
      changeParameters(pathname + window.location.search, { ...change, [parameter]: reference }),
      false,
    );
  };
  return (
    <form className="flex items-center gap-2 max-sm:w-full" onSubmit={submit}>
      <OtherParameters but={[parameter, ...Object.keys(change)]} along={along} />
      <Field
        id={id}
        aria-label={label}
        placeholder={hint ?? label}
        title={hint && label}
        name={parameter}
        defaultValue={value}
        required={!isOptional}
        maxLength={MAX_LENGTH}
        className={`${hint ? "w-42" : "w-60"} max-sm:flex-1`}
        onInput={({ currentTarget }) => currentTarget.setCustomValidity("")}
      />
      <DateButton field={id} />
      <Button type="submit">{action}</Button>
    </form>
  );
}
