import { bech32m } from "@scure/base";
import fc from "fast-check";
import { expect, test } from "vitest";
import { withoutHidden } from "#lib/util/hidden.ts";
import { exportLabels, type Label, MAX_LABEL, storedLabels } from "./labels.ts";
import { importLabels } from "./labels-file.ts";

const ADDRESS =
  "ckt1qzda0cr08m85hc8jlnfp3zer7xulejywt49kt2rr0vthywaa50xwsqdweufjpwk2rpmmjux3xjjkun7y3cjjenq0z62pa";
/** Another address with a right checksum. */
const addressOf = (words: number[], start = "ckt") => bech32m.encode(start, words, false);
const OTHER = addressOf(Array(90).fill(7));
const importTo = (labels: readonly Label[], text: string) => importLabels(labels, text, "testnet");
const line = (label: unknown, ref: unknown = ADDRESS, type = "addr") => JSON.stringify({ type, ref, label });

test("exported labels are imported unchanged, whatever their text", () => {
  const ref = fc.array(fc.nat(31), { minLength: 40, maxLength: 90 });
  const label = fc
    .string({ unit: "binary", minLength: 1, maxLength: 40 })
    .map((text) => text.trim().slice(0, MAX_LABEL))
    .filter((text) => withoutHidden(text).trim() !== "");
  const all = fc.uniqueArray(fc.record({ ref: ref.map((words) => addressOf(words)), label }), {
    selector: (one) => one.ref,
    maxLength: 20,
  });
  fc.assert(
    fc.property(all, (labels: Label[]) => {
      const read = importTo([], exportLabels(labels));
      expect(read.labels ?? []).toEqual(labels);
      expect(storedLabels.parse(JSON.stringify(labels))).toEqual(labels);
    }),
  );
});

test("lines that are left out are counted by reason", () => {
  const wrong = ADDRESS.replace(/.$/, (last) => (last === "q" ? "p" : "q"));
  const text = [
    line("Alice"),
    line("a payment", ADDRESS, "tx"),
    line({ toString: "Bob" }),
    line("elsewhere", "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq"),
    line("of mainnet", addressOf(Array(90).fill(7), "ckb")),
    line("long", `ckt1${"q".repeat(2_000)}`),
    line("misspelt", wrong),
    line(" ", OTHER),
    line(undefined, OTHER),
    "{",
    "null",
    "",
  ].join("\r\n");
  expect(importTo([], text)).toEqual({
    labels: [{ ref: ADDRESS, label: "Alice" }],
    message:
      "1 label read. Left out: 2 lines without a JSON object, 2 lines without a label of an address, 3 lines without an address of this network, 1 line with a wrong checksum in the address, 2 lines with an empty label.",
  });
  expect(importTo([], "{}")).toEqual({
    labels: null,
    message: "0 labels read. Left out: 1 line without a label of an address.",
  });
});

test("two lines for one address count as one label, the last", () => {
  expect(importTo([], `${line("first")}\n${line("last", ADDRESS.toUpperCase())}`)).toEqual({
    labels: [{ ref: ADDRESS, label: "last" }],
    message: "1 label read. Left out: 1 line with the address of a later line.",
  });
});

test("before the network is known, the addresses of each are labelled", () => {
  const ref = addressOf(Array(90).fill(7), "ckb");
  expect(importLabels([], line("of mainnet", ref), null).labels).toEqual([{ ref, label: "of mainnet" }]);
});

test("the hash of a lock script is an address of any network, without a checksum", () => {
  const ref = `lock-hash:0x${"ab".repeat(32)}`;
  expect(importTo([], line("Vault", ref)).labels).toEqual([{ ref, label: "Vault" }]);
});

test.each(["", "hello\n", `[${line("Alice")}]`, ` [\n${line("Alice")},\n${line("Bob", OTHER)}\n]`, "1\n2"])(
  "%j is refused: a BIP 329 file has a JSON object a line",
  (text) => {
    const message = "This is not a BIP 329 file, which has one JSON object per line.";
    expect(importTo([], text)).toEqual({ labels: null, message });
  },
);

test("a label longer than BIP 329 advises is cut between characters", () => {
  const start = "x".repeat(MAX_LABEL - 1);
  const lines = [line(`${start}yz`), line(`${start}😀`, OTHER)];
  expect(importTo([], lines.join("\n"))).toEqual({
    labels: [
      { ref: ADDRESS, label: `${start}y` },
      { ref: OTHER, label: start },
    ],
    message: "2 labels read. 2 of them were cut to 255 characters.",
  });
});

test("an import replaces labels of the same addresses, and no more are kept than the browser may hold", () => {
  const kept = [
    { ref: ADDRESS, label: "old" },
    { ref: "other", label: "Bob" },
  ];
  expect(importTo(kept, line("new", ADDRESS.toUpperCase())).labels).toEqual([
    { ref: ADDRESS, label: "new" },
    kept[1],
  ]);
  const full = Array.from({ length: storedLabels.most }, (_, at) => ({ ref: `${at}`, label: "x" }));
  expect(importTo(full, line("one more"))).toEqual({
    labels: null,
    message: "5,001 labels: this browser keeps at most 5,000.",
  });
});
