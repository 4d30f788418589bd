"use client";

import { createContext, type ReactNode, useCallback, useContext, useMemo, useState } from "react";
import { type PreferenceName, type Preferences, writePreference } from "#lib/client/preferences.ts";

interface Value {
  preferences: Preferences;
  choose<Name extends PreferenceName>(name: Name, value: Preferences[Name]): void;
}

const Context = createContext<Value | null>(null);

/** Starts from what the server read from the cookies. A change updates state and cookie together. */
export function PreferencesProvider({ initial, children }: { initial: Preferences; children: ReactNode }) {
  const [preferences, setPreferences] = useState(initial);
  const choose = useCallback<Value["choose"]>((name, value) => {
    writePreference(name, value);
    setPreferences((before) => ({ ...before, [name]: value }));
  }, []);
  const value = useMemo(() => ({ preferences, choose }), [preferences, choose]);
  return <Context value={value}>{children}</Context>;
}

export function usePreferences(): Value {
  const value = useContext(Context);
  if (!value) throw new Error("usePreferences needs a PreferencesProvider above it");
  return value;
}
