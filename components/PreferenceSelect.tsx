"use client";

import type { Preferences } from "#lib/client/preferences.ts";
import { usePreferences } from "./Preferences.tsx";

interface Props<Name extends keyof Preferences> {
  name: Name;
  /** Each value with its words. */
  options: Partial<Record<Preferences[Name], string>>;
  /** Where no label stands around it. */
  label?: string;
}

/** A choice that this browser remembers. */
export function PreferenceSelect<Name extends keyof Preferences>({ name, options, label }: Props<Name>) {
  const { preferences, choose } = usePreferences();
  return (
    <select
      aria-label={label}
      className="button px-2"
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
