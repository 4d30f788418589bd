import { choiceField } from "#lib/client/url-state.ts";

/** What the page shows of an address besides its outputs, one at a time. */
const PANELS = ["holdings", "lock", "capacity", "age"] as const;
export type PanelName = (typeof PANELS)[number];

/** `lock=1` is how earlier links opened the lock script. */
export const panelFields = { panel: choiceField(["", ...PANELS]), lock: choiceField(["", "1"]) };
