"use client";

import type { Preferences } from "#lib/client/preferences.ts";
import { usePreferences } from "./Preferences.tsx";
import { buttonClass } from "./ui/Button.tsx";

interface Props<Name extends keyof Preferences> {
  name: Name;
  /** The text of each value. */
  options: Partial<Record<Preferences[Name], string>>;
  /** Its name, if no `label` element is around it. */
  label?: string;
}

/** A choice that this browser remembers. */
export function PreferenceSelect<Name extends keyof Preferences>({ name, options, label }: Props<Name>) {
  const { preferences, choose } = usePreferences();
  return (
    <select
      aria-label={label}
      className={buttonClass({ size: "narrow" })}
      value={preferences[name]}
      onChange={(event) => choose(name, event.target.value as Preferences[Name])}
    >
      {Object.entries(options).map(([value, words]) => (
        <option key={value} value={value}>
          {words as string}
        </option>
      ))}
    </select>
  );
}
