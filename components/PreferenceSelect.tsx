"use client";

import type { PreferenceName, Preferences } from "#lib/client/preferences.ts";
import { usePreferences } from "./Preferences.tsx";
import { Select } from "./ui/Select.tsx";

interface Props<Name extends PreferenceName> {
  name: Name;
  /** The choices in order, with their words. */
  choices: readonly (readonly [Preferences[Name], string])[];
  /** Its name, if no `label` element is around it. */
  label?: string;
}

/** A choice that this browser remembers. */
export function PreferenceSelect<Name extends PreferenceName>({ name, ...select }: Props<Name>) {
  const { preferences, choose } = usePreferences();
  return (
    <Select
      {...select}
      value={preferences[name]}
      onChoose={(value: Preferences[Name]) => choose(name, value)}
    />
  );
}

export function ThemeSwitch() {
  const choices = [
    ["system", "System"],
    ["light", "Light"],
    ["dark", "Dark"],
  ] as const;
  return <PreferenceSelect name="theme" label="Theme" choices={choices} />;
}
