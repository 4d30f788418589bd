/** Reading BIP 329 files, in a module of its own that loads with the first file: no page needs checksums before. */
import { sha256 } from "@noble/hashes/sha2.js";
import { bech32, bech32m, createBase58check } from "@scure/base";
import { withoutHidden } from "#lib/util/hidden.ts";
import { terms } from "#terms";
import { countOf, formatCount } from "./format.ts";
import { isRef, type Label, MAX_LABEL, storedLabels } from "./labels.ts";

export interface ReadLabels {
  /** All labels, with the file's in place of others for the same addresses; null if the file cannot be used. */
  labels: Label[] | null;
  /** A sentence about what was read, and about the lines that were left out. */
  message: string;
}

/** Why a line is left out, as it follows `1 line` and `2 lines`. */
const reasons = {
  notJson: "without a JSON object",
  notLabel: "without a label of an address",
  notAddress: "without an address of this network",
  checksum: "with a wrong checksum in the address",
  notConverted: "with an address in a former form, which the server could not convert",
  empty: "with an empty label",
  repeated: "with the address of a later line",
};
type Reason = keyof typeof reasons;

type Line = (Label & { isCut: boolean }) | Reason;

/** Converts addresses to their canonical form, in their order; null for what is no address of the served network. */
export type FormsOf = (addresses: string[]) => Promise<(string | null)[]>;

/** Addresses that the server converts at once, so that the request's URL stays short. */
const AT_ONCE = 25;

/**
 * Adds the labels of addresses in a BIP 329 file, which has a JSON object a line. The last label of an address counts.
 * @param stored has the present labels, which are read once the file's are known
 * @param network null accepts every network: an empty database has none yet
 */
export async function importLabels(
  stored: Pick<typeof storedLabels, "items">,
  text: string,
  network: string | null,
  formsOf: FormsOf,
): Promise<ReadLabels> {
  const given = text
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => readLine(line, network));
  if (/^\s*\[/.test(text) || given.every((line) => line === "notJson")) {
    return { labels: null, message: "This is not a BIP 329 file, which has one JSON object per line." };
  }
  const refs = new Set(given.flatMap((line) => (typeof line === "string" ? [] : line.ref)));
  if (refs.size > storedLabels.most) return tooMany(refs.size);
  const lines = await inCanonicalForm(given, [...refs], formsOf);
  const found = lines.filter((line) => typeof line !== "string");
  const merged = new Map([...stored.items(), ...found].map(({ ref, label }) => [ref, { ref, label }]));
  if (merged.size > storedLabels.most) return tooMany(merged.size);
  const last = [...new Map(found.map((one) => [one.ref, one])).values()];
  const kept = last.length;
  const cut = last.filter(({ isCut }) => isCut).length;
  const count = (reason: Reason) =>
    reason === "repeated" ? found.length - kept : lines.filter((line) => line === reason).length;
  const left = (Object.keys(reasons) as Reason[])
    .filter((reason) => count(reason) > 0)
    .map((reason) => `${countOf(count(reason), "line")} ${reasons[reason]}`);
  return {
    labels: kept === 0 ? null : [...merged.values()],
    message: [
      `${countOf(kept, "label")} read.`,
      cut > 0 && `${formatCount(cut)} of them ${cut === 1 ? "was" : "were"} cut to ${MAX_LABEL} characters.`,
      left.length > 0 && `Left out: ${left.join(", ")}.`,
    ]
      .filter(Boolean)
      .join(" "),
  };
}

const tooMany = (count: number): ReadLabels => ({
  labels: null,
  message: `${countOf(count, "label")}: this browser keeps at most ${formatCount(storedLabels.most)}.`,
});

/** Pages show an address in its canonical form, so its label is kept under that. */
async function inCanonicalForm(
  lines: readonly Line[],
  refs: readonly string[],
  formsOf: FormsOf,
): Promise<Line[]> {
  const former = new RegExp(terms.formerAddresses);
  const sought = refs.filter((ref) => former.test(ref));
  const forms = new Map<string, string | null | undefined>();
  for (let at = 0; at < sought.length; at += AT_ONCE) {
    const some = sought.slice(at, at + AT_ONCE);
    const read = await formsOf(some).catch(() => null);
    // The others would fail, too.
    if (!read) break;
    for (const [n, ref] of some.entries()) forms.set(ref, read[n]);
  }
  return lines.map((line) => {
    if (typeof line === "string" || !former.test(line.ref)) return line;
    const ref = forms.get(line.ref);
    if (ref === null) return "notAddress";
    return isRef(ref) ? { ...line, ref } : "notConverted";
  });
}

function readLine(line: string, network: string | null): Line {
  let parsed: unknown;
  try {
    parsed = JSON.parse(line);
  } catch {
    return "notJson";
  }
  if (typeof parsed !== "object" || parsed === null) return "notJson";
  const { type, ref, label = "" } = parsed as Record<string, unknown>;
  if (type !== "addr" || typeof label !== "string") return "notLabel";
  const found = isRef(ref) ? terms.detectAddress(ref.trim()) : null;
  if (!found || "fault" in found || !isOfNetwork(found.address, network)) return "notAddress";
  if (!hasChecksum(found.address)) return "checksum";
  const whole = label.trim();
  const kept = cutLabel(whole);
  return withoutHidden(kept).trim() === ""
    ? "empty"
    : { ref: found.address, label: kept, isCut: kept !== whole };
}

/** Several networks may share a form. A form without a network belongs to those that have no such form of their own. */
function isOfNetwork(address: string, network: string | null): boolean {
  const own = terms.addressForms.filter((form) => form.network === network);
  return (
    network === null ||
    terms.addressForms
      .filter(({ start }) => address.startsWith(start))
      .some(
        (form) =>
          form.network === network ||
          (form.network === null && !own.some(({ characters }) => characters === form.characters)),
      )
  );
}

const base58check = createBase58check(sha256);

/** Whether the checksum matches. A form with a colon is a script or its hash, which has none. */
function hasChecksum(address: string): boolean {
  if (address.includes(":")) return true;
  if (bech32m.decodeUnsafe(address, false) ?? bech32.decodeUnsafe(address, false)) return true;
  try {
    base58check.decode(address);
    return true;
  } catch {
    return false;
  }
}

/** The longest start without half a surrogate pair that may be kept. */
const cutLabel = (label: string): string =>
  label
    .slice(0, MAX_LABEL)
    .replace(/[\ud800-\udbff]$/, "")
    .trimEnd();
