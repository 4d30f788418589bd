"use client";

import type { Preferences } from "#lib/client/preferences.ts";
import { Link } from "./Link.tsx";
import { usePreferences } from "./Preferences.tsx";
import { openShortcutHelp } from "./Shortcuts.tsx";
import { ThemeSwitch } from "./ThemeSwitch.tsx";

export function Footer() {
  const { preferences, choose } = usePreferences();
  return (
    <footer className="no-print border-border border-t">
      <div className="mx-auto flex max-w-[1440px] flex-wrap items-center gap-x-4 gap-y-2 px-4 py-2 text-text-2 sm:px-6">
        <span>Asset Query Service</span>
        <Link href="/docs">API v0</Link>
        <span className="ml-auto sm:hidden">
          <ThemeSwitch />
        </span>
        <label className="flex items-center gap-2 sm:ml-auto">
          Times
          <select
            className="button px-2"
            value={preferences.times}
            onChange={(event) => choose("times", event.target.value as Preferences["times"])}
          >
            <option value="utc">UTC</option>
            <option value="local">Local</option>
          </select>
        </label>
        <label className="flex items-center gap-2">
          Rows
          <select
            className="button px-2"
            value={preferences.density}
            onChange={(event) => choose("density", event.target.value as Preferences["density"])}
          >
            <option value="compact">Compact</option>
            <option value="comfortable">Comfortable</option>
          </select>
        </label>
        <button type="button" className="button px-2" onClick={openShortcutHelp}>
          Shortcuts
        </button>
      </div>
    </footer>
  );
}
