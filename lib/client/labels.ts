/** The reader's names for addresses. They stay in the browser; BIP 329 files carry them to wallets and back. */
import { withoutHidden } from "#lib/util/hidden.ts";
import { countOf } from "./format.ts";
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

export const isRef = isTextUpTo(MAX_ADDRESS_TEXT);
const isLabel = isTextUpTo(MAX_LABEL);

export const storedLabels = storedList(
  "aqs_labels_1",
  MOST,
  (value): value is Label => {
    const { ref, label } = Object(value) as Partial<Label>;
    return isRef(ref) && isLabel(label);
  },
  ({ ref }) => ref,
);

/** The labels with one more or another one for an address; `""` removes it. */
export const withLabel = (labels: readonly Label[], { ref, label }: Label): Label[] => [
  ...(label === "" ? [] : [{ ref, label }]),
  ...labels.filter((one) => one.ref !== ref),
];

const folded = (text: string): string => withoutHidden(text).normalize("NFKC").toLowerCase();

/** Labels whose text contains the sought one, in any case and any Unicode form. */
export function labelsWith(labels: Iterable<Label>, sought: string): Label[] {
  const part = folded(sought);
  return part === "" ? [] : [...labels].filter(({ label }) => folded(label).includes(part));
}

/** A BIP 329 file. */
export const exportLabels = (labels: readonly Label[]): string =>
  labels.map(({ ref, label }) => `${JSON.stringify({ type: "addr", ref, label })}\n`).join("");

export const labelCount = (labels: readonly Label[]): string =>
  labels.length === 0
    ? "No labels yet"
    : `${countOf(labels.length, "label")} of ${labels.length === 1 ? "an address" : ADDRESS.many}`;
