import { bech32m } from "@scure/base";
import fc from "fast-check";
import { expect, test } from "vitest";
import { withoutHidden } from "#lib/util/hidden.ts";
import { exportLabels, type Label, MAX_LABEL, storedLabels } from "./labels.ts";
import { type FormsOf, importLabels } from "./labels-file.ts";

const ADDRESS =
  "ckt1qzda0cr08m85hc8jlnfp3zer7xulejywt49kt2rr0vthywaa50xwsqdweufjpwk2rpmmjux3xjjkun7y3cjjenq0z62pa";
/** Another address with a right checksum. */
const addressOf = (words: number[], start = "ckt") => bech32m.encode(start, words, false);
const OTHER = addressOf(Array(90).fill(7));
const importTo = (
  labels: readonly Label[],
  text: string,
  network: string | null = "testnet",
  formsOf: FormsOf = () => Promise.reject(new Error("no address needs the server")),
) => importLabels({ items: () => [...labels] }, text, network, formsOf);
const line = (label: unknown, ref: unknown = ADDRESS, type = "addr") => JSON.stringify({ type, ref, label });

test("exported labels are imported unchanged, whatever their text", async () => {
  const ref = fc.array(fc.nat(31), { minLength: 40, maxLength: 90 });
  const label = fc
    .string({ unit: "binary", minLength: 1, maxLength: 40 })
    .map((text) => text.trim().slice(0, MAX_LABEL))
    .filter((text) => withoutHidden(text).trim() !== "");
  const all = fc.uniqueArray(fc.record({ ref: ref.map((words) => addressOf([0, 0, ...words])), label }), {
    selector: (one) => one.ref,
    maxLength: 20,
  });
  await fc.assert(
    fc.asyncProperty(all, async (labels: Label[]) => {
      const read = await importTo([], exportLabels(labels));
      expect(read.labels ?? []).toEqual(labels);
      expect(storedLabels.parse(JSON.stringify(labels))).toEqual(labels);
    }),
  );
});

test("lines that are left out are counted by reason", async () => {
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
  expect(await importTo([], text)).toEqual({
    labels: [{ ref: ADDRESS, label: "Alice" }],
    message:
      "1 label read. Left out: 2 lines without a JSON object, 2 lines without a label of an address, 3 lines without an address of this network, 1 line with a wrong checksum in the address, 2 lines with an empty label.",
  });
  expect(await importTo([], "{}")).toEqual({
    labels: null,
    message: "0 labels read. Left out: 1 line without a label of an address.",
  });
});

test("two lines for one address count as one label, the last", async () => {
  expect(await importTo([], `${line("first")}\n${line("last", ADDRESS.toUpperCase())}`)).toEqual({
    labels: [{ ref: ADDRESS, label: "last" }],
    message: "1 label read. Left out: 1 line with the address of a later line.",
  });
});

test("before the network is known, the addresses of each are labelled", async () => {
  const ref = addressOf(Array(90).fill(7), "ckb");
  expect((await importTo([], line("of mainnet", ref), null)).labels).toEqual([{ ref, label: "of mainnet" }]);
});

test("the hash of a lock script is an address of any network, which the server may know in another form", async () => {
  const ref = `lock-hash:0x${"ab".repeat(32)}`;
  const imported = await importTo([], line("Vault", ref), "testnet", async (addresses) => addresses);
  expect(imported.labels).toEqual([{ ref, label: "Vault" }]);
  const known = await importTo([], line("Vault", ref), "testnet", async () => [OTHER]);
  expect(known.labels).toEqual([{ ref: OTHER, label: "Vault" }]);
});

test.each(["", "hello\n", `[${line("Alice")}]`, ` [\n${line("Alice")},\n${line("Bob", OTHER)}\n]`, "1\n2"])(
  "%j is refused: a BIP 329 file has a JSON object a line",
  async (text) => {
    const message = "This is not a BIP 329 file, which has one JSON object per line.";
    expect(await importTo([], text)).toEqual({ labels: null, message });
  },
);

test("an address in a former form is labelled in its current one, which only the server knows", async () => {
  const short = "ckt1qyqt8xaupvm8837nv3gtc9x0ekkj64vud3jq5t63cs";
  const foreign = addressOf([0, 4, ...Array(70).fill(7)]);
  const asked: string[][] = [];
  const formsOf: FormsOf = async (addresses) => {
    asked.push(addresses);
    return addresses.map((one) => (one === short ? OTHER : null));
  };
  const text = [
    line("Alice"),
    line("old", short),
    line("Bob", OTHER),
    line("Carol", short),
    line("?", foreign),
  ];
  expect(await importTo([], text.join("\n"), "testnet", formsOf)).toEqual({
    labels: [
      { ref: ADDRESS, label: "Alice" },
      { ref: OTHER, label: "Carol" },
    ],
    message:
      "2 labels read. Left out: 1 line without an address of this network, 2 lines with the address of a later line.",
  });
  expect(asked).toEqual([[short, foreign]]);

  const failing = () => Promise.reject(new Error("unreachable"));
  expect(await importTo([], text.slice(0, 2).join("\n"), "testnet", failing)).toEqual({
    labels: [{ ref: ADDRESS, label: "Alice" }],
    message:
      "1 label read. Left out: 1 line with an address in a former form, which the server could not convert.",
  });
});

test("addresses in former forms are converted a few at a time, and none of a file with too many labels", async () => {
  const asked: number[] = [];
  const formsOf: FormsOf = async (addresses) => {
    asked.push(addresses.length);
    return addresses;
  };
  const file = (count: number) =>
    Array.from({ length: count }, (_, n) =>
      line(`${n}`, addressOf([0, 4, n >> 10, (n >> 5) & 31, n & 31, ...Array(70).fill(7)])),
    ).join("\n");
  expect((await importTo([], file(60), "testnet", formsOf)).message).toBe("60 labels read.");
  expect(asked).toEqual([25, 25, 10]);
  expect((await importTo([], file(5_001), "testnet", formsOf)).message).toBe(
    "5,001 labels: this browser keeps at most 5,000.",
  );
  expect(asked).toHaveLength(3);
});

test("a label longer than BIP 329 advises is cut between characters", async () => {
  const start = "x".repeat(MAX_LABEL - 1);
  const lines = [line(`${start}yz`), line(`${start}😀`, OTHER)];
  expect(await importTo([], lines.join("\n"))).toEqual({
    labels: [
      { ref: ADDRESS, label: `${start}y` },
      { ref: OTHER, label: start },
    ],
    message: "2 labels read. 2 of them were cut to 255 characters.",
  });
});

test("an import replaces labels of the same addresses, and no more are kept than the browser may hold", async () => {
  const kept = [
    { ref: ADDRESS, label: "old" },
    { ref: "other", label: "Bob" },
  ];
  expect((await importTo(kept, line("new", ADDRESS.toUpperCase()))).labels).toEqual([
    { ref: ADDRESS, label: "new" },
    kept[1],
  ]);
  const full = Array.from({ length: storedLabels.most }, (_, at) => ({ ref: `${at}`, label: "x" }));
  expect(await importTo(full, line("one more"))).toEqual({
    labels: null,
    message: "5,001 labels: this browser keeps at most 5,000.",
  });
});
