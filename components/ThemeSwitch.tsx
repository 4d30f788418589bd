"use client";

import type { Preferences } from "#lib/client/preferences.ts";
import { usePreferences } from "./Preferences.tsx";

export function ThemeSwitch() {
  const { preferences, choose } = usePreferences();
  return (
    <select
      aria-label="Theme"
      className="button px-2"
      value={preferences.theme}
      onChange={(event) => choose("theme", event.target.value as Preferences["theme"])}
    >
      <option value="system">System</option>
      <option value="light">Light</option>
      <option value="dark">Dark</option>
    </select>
  );
}
