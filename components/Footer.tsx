import { Link } from "./Link.tsx";
import { PreferenceSelect } from "./Preferences.tsx";
import { ShortcutsButton } from "./Shortcuts.tsx";

export function Footer() {
  return (
    <footer className="print:hidden border-border border-t">
      <div className="mx-auto flex max-w-[1440px] flex-wrap items-center gap-x-4 gap-y-2 max-lg:gap-x-3 px-4 py-2 text-text-2 sm:px-6">
        <span>Asset Query Service</span>
        <Link href="/docs">API v0</Link>
        <span className="ml-auto lg:hidden">
          <PreferenceSelect name="theme" label="Theme" />
        </span>
        <label className="flex items-center gap-2 lg:ml-auto">
          Times
          <PreferenceSelect name="times" />
        </label>
        <label className="flex items-center gap-2">
          Rows
          <PreferenceSelect name="density" />
        </label>
        <ShortcutsButton />
      </div>
    </footer>
  );
}
