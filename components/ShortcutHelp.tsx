"use client";

import { Modal } from "./Modal.tsx";
import { usePreferences } from "./Preferences.tsx";
import { Chip } from "./ui/Chip.tsx";

const GROUPS: Record<string, Record<string, string>> = {
  Everywhere: {
    "/ Ctrl-K": "Search",
    "g h": "Home",
    t: "Next theme",
    "?": "This help",
  },
  "In a list": {
    "j k ↓ ↑": "Next, previous row",
    Enter: "Open or close the row",
    Space: "Select the row; with Shift, all rows from the last one to it",
    o: "Open the row's block",
    c: "Copy the row's out point, hash, address or id",
    "Ctrl-F": "Find in the loaded rows; again, the browser's search",
    x: "Export",
    y: "Copy this view as cURL",
  },
  "On a block": {
    "← →": "Neighbouring block",
    "[ ]": "Previous, next page",
    f: "Filter by name",
    s: "Change the order",
  },
};

export default function ShortcutHelp({ onClose }: { onClose: () => void }) {
  const { preferences, choose } = usePreferences();
  return (
    <Modal title="Keyboard shortcuts" onClose={onClose}>
      {Object.entries(GROUPS).map(([title, keys]) => (
        <section key={title} className="mb-4">
          <h3 className="mb-1 font-medium text-text-2">{title}</h3>
          <dl className="grid grid-cols-[88px_minmax(0,1fr)] items-baseline gap-x-4 gap-y-1">
            {Object.entries(keys).map(([key, meaning]) => (
              <div key={key} className="contents">
                <dt>
                  <Chip className="font-mono">
                    <kbd>{key}</kbd>
                  </Chip>
                </dt>
                <dd>{meaning}</dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
      <label className="flex items-center gap-2">
        <input
          type="checkbox"
          checked={preferences.shortcuts === "on"}
          onChange={(event) => choose("shortcuts", event.target.checked ? "on" : "off")}
        />
        Single-key shortcuts
      </label>
    </Modal>
  );
}
