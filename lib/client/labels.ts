/** The reader's names for addresses. They stay in the browser; BIP 329 files carry them to wallets and back. */
import { detect } from "./detect.ts";
import { countOf, formatCount } from "./format.ts";
import { isTextUpTo, storedList } from "./stored.ts";
import { ADDRESS, MAX_ADDRESS_TEXT } from "./wallet.ts";

export interface Label {
  /** The address. */
  ref: string;
  label: string;
}

/** Maximum length of a label, in UTF-16 code units. BIP 329 advises at most 255 characters; importers may cut longer ones. */
export const MAX_LABEL = 255;
const MOST = 5_000;
/** Largest file that is read, in bytes. */
export const MAX_LABEL_FILE = 4_000_000;

const isRef = isTextUpTo(MAX_ADDRESS_TEXT);
const isLabel = isTextUpTo(MAX_LABEL);

export const storedLabels = storedList("aqs_labels_1", MOST, (value): value is Label => {
  const { ref, label } = Object(value) as Partial<Label>;
  return isRef(ref) && isLabel(label);
});

/** The labels with one more or another one for an address; `""` removes it. */
export const withLabel = (labels: readonly Label[], { ref, label }: Label): Label[] => [
  ...(label === "" ? [] : [{ ref, label }]),
  ...labels.filter((one) => one.ref !== ref),
];

/** Labels whose text contains the sought one, in any case. */
export function labelsWith(labels: Iterable<Label>, sought: string): Label[] {
  const folded = sought.toLowerCase();
  return sought === "" ? [] : [...labels].filter(({ label }) => label.toLowerCase().includes(folded));
}

export interface ReadLabels {
  /** All labels, with the file's in place of others for the same addresses; null if the file cannot be used. */
  labels: Label[] | null;
  /** A sentence about what was read, and about the lines that were left out. */
  message: string;
}

/** Adds the labels of addresses in a BIP 329 file, which has a JSON object a line. Other lines are counted. */
export function importLabels(labels: readonly Label[], text: string): ReadLabels {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const found = lines.flatMap(readLine);
  const merged = new Map([...labels, ...found].map((one) => [one.ref, one]));
  if (merged.size > MOST) {
    const message = `${formatCount(merged.size)} labels: this browser keeps at most ${formatCount(MOST)}.`;
    return { labels: null, message };
  }
  const left = lines.length - found.length;
  const others =
    left === 0
      ? ""
      : ` ${formatCount(left)} of ${countOf(lines.length, "line")} ${left === 1 ? "is not a label" : "are not labels"} of addresses of this chain.`;
  return {
    labels: found.length === 0 ? null : [...merged.values()],
    message: `${countOf(found.length, "label")} read.${others}`,
  };
}

function readLine(line: string): Label[] {
  try {
    const { type, ref, label } = Object(JSON.parse(line)) as Record<string, unknown>;
    if (type !== "addr" || !isRef(ref) || typeof label !== "string") return [];
    const detected = detect(ref);
    const kept = cutLabel(label.trim());
    return detected.kind === "address" && kept !== "" ? [{ ref: detected.address, label: kept }] : [];
  } catch {
    // The line is not JSON, and is counted with those of other types.
    return [];
  }
}

/** The longest start without half a surrogate pair that may be kept. */
const cutLabel = (label: string): string =>
  label
    .slice(0, MAX_LABEL)
    .replace(/[\ud800-\udbff]$/, "")
    .trimEnd();

/** A BIP 329 file. */
export const exportLabels = (labels: readonly Label[]): string =>
  labels.map(({ ref, label }) => `${JSON.stringify({ type: "addr", ref, label })}\n`).join("");

export const labelCount = (labels: readonly Label[]): string =>
  labels.length === 0 ? "No labels yet" : `${countOf(labels.length, "label")} of ${ADDRESS.many}`;
