import fc from "fast-check";
import { expect, test } from "vitest";
import {
  exportLabels,
  importLabels,
  type Label,
  labelsWith,
  MAX_LABEL,
  storedLabels,
  withLabel,
} from "./labels.ts";

const ADDRESS =
  "ckt1qzda0cr08m85hc8jlnfp3zer7xulejywt49kt2rr0vthywaa50xwsqdweufjpwk2rpmmjux3xjjkun7y3cjjenq0z62pa";
const DIGITS = [..."qpzry9x8gf2tvdw0s3jn54khce6mua7l"];
const line = (label: unknown, ref: unknown = ADDRESS, type = "addr") => JSON.stringify({ type, ref, label });

test("exported labels are imported unchanged, whatever their text", () => {
  const ref = fc.array(fc.constantFrom(...DIGITS), { minLength: 8, maxLength: 8 });
  const label = fc
    .string({ unit: "binary", minLength: 1, maxLength: 40 })
    .map((text) => text.trim().slice(0, MAX_LABEL))
    .filter((text) => text !== "");
  const all = fc.uniqueArray(fc.record({ ref: ref.map((tail) => ADDRESS + tail.join("")), label }), {
    selector: (one) => one.ref,
    maxLength: 20,
  });
  fc.assert(
    fc.property(all, (labels: Label[]) => {
      const read = importLabels([], exportLabels(labels));
      expect(read.labels ?? []).toEqual(labels);
      expect(storedLabels.parse(JSON.stringify(labels))).toEqual(labels);
    }),
  );
});

test("lines that are not labels of addresses are left out and counted", () => {
  const text = [
    line("Alice"),
    line("a payment", ADDRESS, "tx"),
    line("elsewhere", "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq"),
    line("", ADDRESS),
    line({ toString: "Bob" }),
    "{",
    "null",
    "",
  ].join("\r\n");
  expect(importLabels([], text)).toEqual({
    labels: [{ ref: ADDRESS, label: "Alice" }],
    message: "1 label read. 6 of 7 lines are not labels of addresses of this chain.",
  });
  expect(importLabels([], "{}").labels).toBeNull();
});

test("a label longer than BIP 329 advises is cut between characters", () => {
  const start = "x".repeat(MAX_LABEL - 1);
  const lines = [line(`${start}yz`), line(`${start}😀`, `${ADDRESS}q`)];
  expect(importLabels([], lines.join("\n"))).toEqual({
    labels: [
      { ref: ADDRESS, label: `${start}y` },
      { ref: `${ADDRESS}q`, label: start },
    ],
    message: "2 labels read.",
  });
});

test("an import replaces labels of the same addresses, and no more are kept than the browser may hold", () => {
  const kept = [
    { ref: ADDRESS, label: "old" },
    { ref: "other", label: "Bob" },
  ];
  expect(importLabels(kept, line("new", ADDRESS.toUpperCase())).labels).toEqual([
    { ref: ADDRESS, label: "new" },
    kept[1],
  ]);
  const full = Array.from({ length: storedLabels.most }, (_, at) => ({ ref: `${at}`, label: "x" }));
  expect(importLabels(full, line("one more"))).toEqual({
    labels: null,
    message: "5,001 labels: this browser keeps at most 5,000.",
  });
});

test("a label is added, replaced, removed, and found by a part of it", () => {
  const alice = { ref: "a", label: "Alice" };
  expect(withLabel([alice], { ref: "b", label: "Bob" })).toEqual([{ ref: "b", label: "Bob" }, alice]);
  expect(withLabel([alice], { ref: "a", label: "Anna" })).toEqual([{ ref: "a", label: "Anna" }]);
  expect(withLabel([alice], { ref: "a", label: "" })).toEqual([]);
  expect(labelsWith([alice], "LIC")).toEqual([alice]);
  expect(labelsWith([alice], "")).toEqual([]);
});
