"use client";

import { createContext, type ReactNode, useContext, useState } from "react";
import { capitalised } from "#lib/client/format.ts";
import {
  preferences as choicesOf,
  type PreferenceName,
  type Preferences,
  writePreference,
} from "#lib/client/preferences.ts";
import { Select } from "./ui/Select.tsx";

interface Value {
  preferences: Preferences;
  choose<Name extends PreferenceName>(name: Name, value: Preferences[Name]): void;
}

const Context = createContext<Value | null>(null);

/** Starts with the server's choices. A change updates the state and the cookie. */
export function PreferencesProvider({ initial, children }: { initial: Preferences; children: ReactNode }) {
  const [preferences, setPreferences] = useState(initial);
  const choose: Value["choose"] = (name, value) => {
    writePreference(name, value);
    setPreferences((before) => ({ ...before, [name]: value }));
  };
  return <Context value={{ preferences, choose }}>{children}</Context>;
}

export function usePreferences(): Value {
  const value = useContext(Context);
  if (!value) throw new Error("usePreferences needs a PreferencesProvider above it");
  return value;
}

/** Selects a setting of this browser. Put it into a `label` element. */
export function PreferenceSelect({ name }: { name: PreferenceName }) {
  const { preferences, choose } = usePreferences();
  const choices = choicesOf[name].map(
    (choice) => [choice, choice === "utc" ? "UTC" : capitalised(choice)] as const,
  );
  return <Select value={preferences[name]} choices={choices} onChoose={(choice) => choose(name, choice)} />;
}
