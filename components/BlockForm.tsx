"use client";

import { useSearchParams } from "next/navigation";
import { type FormEvent, useId } from "react";
import { detect, referenceIn } from "#lib/client/detect.ts";
import { formatCount } from "#lib/client/format.ts";
import { NO_NOTICE, NO_PLACE } from "#lib/client/url-state.ts";
import { HASH } from "#lib/contract/block-text.ts";
import { DateButton } from "./DateButton.tsx";
import { openPage } from "./navigation.tsx";
import { Button } from "./ui/Button.tsx";
import { Field } from "./ui/Field.tsx";

/** A field of the form, which writes a parameter. */
interface BlockField {
  parameter: string;
  /** The block as the page's parameter names it. The field shows its number, if that is known. */
  value: string;
  height?: number | undefined;
  label?: string;
  /** A short text for the empty field, in place of the label. The field is narrower. */
  hint?: string;
  /** Without a value, the parameter is removed. */
  isOptional?: boolean;
}

interface Props {
  fields: readonly BlockField[];
  action: string;
  /** Other parameters that the page is opened with. */
  along?: Readonly<Record<string, string>>;
}

const NONE: Readonly<Record<string, string>> = {};

const LABEL = "Block number, hash or date";
/** A hash has 66 characters; the rest allows for pasted spaces. */
const MAX_LENGTH = 100;

/** Removes what belongs to the former state: places in a list, and its end. */
const OTHER_STATE = { ...NO_PLACE, to: "", ...NO_NOTICE, page: "" };

/** The value of the field for a block that a page's parameter names: numbers are grouped, and a hash is its block's number if that is known. */
export function shownBlock(named: string, height?: number): string {
  if (/^\d+$/.test(named)) return formatCount(Number(named));
  return height !== undefined && HASH.test(named) ? formatCount(height) : named;
}

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

/** Opens the page with parameters that name blocks by number, hash or date. Works without scripts. */
export function BlockForm({ fields, action, along = NONE }: Props) {
  const change = { ...OTHER_STATE, ...along };
  const id = useId();
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const named: Record<string, string> = {};
    for (const { parameter, value, isOptional } of fields) {
      const field = document.getElementById(id + parameter) as HTMLInputElement;
      if (field.value === field.defaultValue && value !== "") {
        // A hash stays, which names the same block after a reorganisation.
        named[parameter] = value;
        continue;
      }
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
      named[parameter] = reference;
    }
    event.currentTarget.closest<HTMLElement>("[popover]")?.hidePopover();
    openPage({ ...change, ...named });
  };
  return (
    <form className="flex flex-wrap items-center gap-2 max-sm:w-full" onSubmit={submit}>
      <OtherParameters
        but={[...fields.map(({ parameter }) => parameter), ...Object.keys(change)]}
        along={along}
      />
      {fields.map(({ parameter, value, height, label = LABEL, hint, isOptional = false }) => (
        // On phones, the last of several fields stands beside the button.
        <span
          key={parameter}
          className={`flex items-center gap-2 max-sm:grow ${hint ? "max-sm:first-of-type:w-full" : "max-sm:w-full"}`}
        >
          <Field
            id={id + parameter}
            aria-label={label}
            placeholder={hint ?? label}
            title={hint && label}
            name={parameter}
            defaultValue={shownBlock(value, height)}
            required={!isOptional}
            maxLength={MAX_LENGTH}
            className={`${hint ? "w-48" : "w-60"} max-sm:flex-1`}
            onInput={({ currentTarget }) => currentTarget.setCustomValidity("")}
          />
          <DateButton field={id + parameter} label={hint} />
        </span>
      ))}
      <Button type="submit">{action}</Button>
    </form>
  );
}
