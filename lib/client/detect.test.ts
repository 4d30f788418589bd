import { describe, expect, test } from "vitest";
import { detect, partsIn, searchPath } from "./detect.ts";
import { cutAddress, cutToText, cutTransactionHash } from "./format.ts";

const hex64 = "ab".repeat(32);
const shortAddress = "ckb1qyqt8xaupvm8837nv3gtc9x0ekkj64vud3jqfwyw5v";

describe("search detection", () => {
  test.each([
    [`0x${hex64}`],
    [hex64],
    [hex64.toUpperCase()],
    [`0X${hex64.toUpperCase()}`],
    [`  0x${hex64}\n`],
  ])("takes %j as a block hash in canonical form", (text) => {
    expect(detect(text)).toEqual({ kind: "block-hash", hash: `0x${hex64}` });
  });

  test("has a page for a text that ends in half of a character", () => {
    expect(searchPath("😀".slice(0, 1))).toBe("/search?q=%EF%BF%BD");
    expect(searchPath("😀")).toBe("/search?q=%F0%9F%98%80");
  });

  test("takes 64 decimal digits as a hash, not as a number", () => {
    expect(detect("1".repeat(64)).kind).toBe("block-hash");
  });

  test.each(["14203551", "14,203,551", "14 203 551", " 14203551 "])("takes %j as a block number", (text) => {
    expect(detect(text)).toEqual({ kind: "block-number", height: 14203551 });
  });

  test("takes the genesis height", () => {
    expect(detect("0")).toEqual({ kind: "block-number", height: 0 });
  });

  test("takes an address of either network, and the old short form", () => {
    expect(detect(shortAddress)).toMatchObject({ kind: "address", network: "mainnet" });
    expect(detect(`ckt1${shortAddress.slice(4)}`)).toMatchObject({ kind: "address", network: "testnet" });
  });

  test("takes the hash of a lock script as an address of any network", () => {
    const detected = detect(`https://aqs.example/addresses/lock-hash:0x${hex64}?order=desc`);
    expect(detected).toMatchObject({ address: `lock-hash:0x${hex64}`, view: "?order=desc", network: null });
  });

  test("takes an address in upper case, and lowers it", () => {
    expect(detect(shortAddress.toUpperCase())).toMatchObject({ kind: "address", address: shortAddress });
  });

  test.each([
    [`https://aqs.example/blocks/0x${hex64}`, { hash: `0x${hex64}` }],
    [
      `http://127.0.0.1:3000/blocks/0x${hex64}?tags=meme&page=2#row`,
      { hash: `0x${hex64}`, view: "?tags=meme&page=2" },
    ],
    [`aqs.example/blocks/14203551/`, { height: 14203551 }],
    [`/blocks/${hex64.toUpperCase()}`, { hash: `0x${hex64}` }],
    [
      `https://aqs.example/addresses/${shortAddress}?order=desc`,
      { address: shortAddress, view: "?order=desc" },
    ],
  ])("takes the URL of one of the two pages for it: %s", (text, named) => {
    expect(detect(text)).toMatchObject(named);
  });

  test.each([
    [`https://aqs.example/blocks/0x${hex64.slice(1)}`, "63 hex digits; a hash has 64"],
    ["https://aqs.example/docs", /^Not an address/],
    ["https://aqs.example/blocks/..", /^Not an address/],
    ["https://aqs.example/blocks/%2e%2e%2fsession", /^Not an address/],
  ])("says what is wrong with the URL %s", (text, message) => {
    expect(detect(text)).toEqual({
      kind: "fault",
      message: expect.stringMatching(message),
      isName: expect.any(Boolean),
    });
  });

  test.each([
    `\u200b0x${hex64}\ufeff`,
    `\u202a0x${hex64}\u202c`,
    ` \u2066${hex64}\u2069 `,
    `0x${hex64.slice(0, 32)}\u00ad${hex64.slice(32)}`,
  ])("sees a hash without the invisible characters about it: %j", (text) => {
    expect(detect(text)).toMatchObject({ kind: "block-hash", hash: `0x${hex64}` });
  });

  test("counts nothing invisible as text", () => {
    expect(detect("\u200b \u200e")).toEqual({ kind: "empty" });
  });

  test.each([
    `0x${hex64}:3`,
    `0x${hex64}:0x3`,
    `0x${hex64}-3`,
    `${hex64.toUpperCase()}:3`,
    `0x${hex64} #3`,
    `(0x${hex64}#3)`,
    `{"txid": "${hex64}", "vout": 3}`,
    `{ "tx_hash": "0x${hex64}", "index": "0x3" }`,
    `https://aqs.example/transactions/0x${hex64}#3`,
    `https://explorer.example/en/tx/${hex64}:3?lang=en`,
    `https://explorer.example/tx/${hex64}#flow=&vout=3`,
    `https://explorer.example/transaction/${hex64}?o=3`,
    `https://explorer.example/tx/${hex64}?output:3`,
    `https://explorer.example/#/tx/${hex64}?vout=3`,
    `[this](https://explorer.example/tx/${hex64}#vout=3).`,
    `[this](https://aqs.example/transactions/0x${hex64}#3)`,
    `${hex64}:o3`,
    `‹${hex64}:3›,`,
    `out point ${hex64}:3.`,
    `{"index":"0x3","tx_hash":"0x${hex64}"}`,
    `{"tx_hash":"0x${hex64}","index":"0x3"}`,
    `OutPoint { tx_hash: 0x${hex64}, index: 0x3 }`,
    `OutPoint { index: Uint32(0x3), tx_hash: Byte32(0x${hex64}) }`,
  ])("takes %j as an out point", (text) => {
    expect(detect(text)).toEqual({ kind: "out-point", transactionHash: `0x${hex64}`, outputIndex: 3 });
  });

  test("takes no negative number for an output's index", () => {
    expect(detect(`${hex64}:-3`)).toEqual({ kind: "block-hash", hash: `0x${hex64}` });
  });

  test.each([
    ...["Block 1,153", "block 1153", "BLOCK #1153", "#1153", "# 1 153", "height: 1153", "1.153", "1,153"],
    ...["1'153", "1_153", "1 153", "(1,153)", "“Block 1153”", "https://explorer.example/api/block/1153/"],
    ...["block1153", "block no. 1153", "Block number 1,153", "1153.", "1,153,", "blocks/1153", "height=1153"],
    ...["https://explorer.example/block.php?height=1153", "block.php?height=1153&page=2"],
    ...["https://explorer.example/ltc/block.dws?1153.htm", "https://explorer.example/#/block/1153"],
    ...["https://explorer.example/search?q=1153", "http://127.0.0.1:3000/b/1153"],
  ])("takes %j as a block's number", (text) => {
    expect(detect(text)).toEqual({ kind: "block-number", height: 1153 });
  });

  test.each([
    "1.5",
    "1,5",
    "1,15",
    "1.1534",
    "1,153.000",
    "1 5",
    "AC/DC",
    "1/2",
    "block",
    "#",
    ".5",
    "blockchain 2",
    "block 1.5",
    "tip 5",
  ])("takes %j for a name", (text) => {
    expect(detect(text)).toMatchObject({ kind: "fault", isName: true });
  });

  test.each([
    ["2026-13-01", "This date does not exist"],
    ["2026-02-30", "This date does not exist"],
    ["2026-02-30 10:20", "This date or time does not exist"],
    ["30 Feb 2026", "This date does not exist"],
    ["30 Fee 2026", "This date does not exist"],
    ["2026-11-22T25:00:00Z", "This date or time does not exist"],
  ])("says that %j does not exist", (text, message) => {
    expect(detect(text)).toEqual({ kind: "fault", message, isName: false });
  });

  test.each(["tip", "Latest", " newest ", "Latest block", "'latest'", "https://aqs.example/blocks/tip"])(
    "takes %j as the newest block",
    (text) => {
      expect(detect(text)).toEqual({ kind: "tip" });
    },
  );

  test.each([
    ["2026-11-22", "2026-11-22T23:59:59.999Z"],
    ["2026-11-22T10:20:30.5+01:00", "2026-11-22T09:20:30.500Z"],
    // Pages cut off the rest of a time, which the block that they name may have.
    ["2026-11-22 10:20:30 UTC", "2026-11-22T10:20:30.999Z"],
    ["2026-11-22 10:20:30 UTC, 3 d ago", "2026-11-22T10:20:30.999Z"],
    ["2026-11-22 10:20:30 GMT+2", "2026-11-22T08:20:30.999Z"],
    ["2026-11-22 10:20:30 GMT, 3 d ago", "2026-11-22T10:20:30.999Z"],
    ["2026-11-22 10:20:30 GMT-5:30", "2026-11-22T15:50:30.999Z"],
    ["2026-11-22 10:20", "2026-11-22T10:20:59.999Z"],
    ["2 Nov 2026, 10:20", "2026-11-02T10:20:59.999Z"],
    ["22 Sept 2026", "2026-09-22T23:59:59.999Z"],
  ])("takes %j as a time", (text, time) => {
    expect(detect(text)).toEqual({ kind: "time", time: Date.parse(time) });
  });

  test.each([
    `ckb:${shortAddress}?amount=1&message=a/b`,
    `CKB:${shortAddress.toUpperCase()}`,
    `"${shortAddress}"`,
    `<${shortAddress}>`,
    `« [${shortAddress}] »`,
    `https://explorer.example/address/${shortAddress}/transactions?page=2`,
    `explorer.example/en/address/${shortAddress}`,
    `https://explorer.example/explorer/addresses/btc/${shortAddress}`,
    ...["„“", "‚‘", "‹›", "«»", "»«", '""'].map(([left, right]) => `${left}${shortAddress}${right}`),
    `"${shortAddress}",`,
    `(${shortAddress}).`,
    `${shortAddress},`,
    `${shortAddress}.`,
    `[x](https://explorer.example/address/${shortAddress})`,
    `[x](https://aqs.example/addresses/${shortAddress})`,
    `https://explorer.example/#/address/${shortAddress}`,
    `https://explorer.example/search?q=${shortAddress}`,
    `https://explorer.example/search?q=%22${shortAddress}%22`,
    `My cold wallet: ${shortAddress}`,
    `${shortAddress} ${shortAddress.toUpperCase()}`,
  ])("finds the address in %s", (text) => {
    expect(detect(text)).toMatchObject({ kind: "address", address: shortAddress });
  });

  test.each([
    `https://explorer.example/en/transaction/0x${hex64}`,
    `https://explorer.example/tx/${hex64}?input:1`,
    `https://explorer.example/block/${hex64}?o=1`,
    `https://explorer.example/#/tx/${hex64}`,
    `https://explorer.example/show?page=2&tx=${hex64}`,
    `https://explorer.example/ltc/tx.dws?${hex64}.htm`,
    `https://explorer.example/tx/${hex64}?block=${"cd".repeat(32)}`,
    `https://aqs.example/?next=/blocks/0x${hex64}`,
    `[its transaction](https://explorer.example/tx/0x${hex64})`,
    `„${hex64}“,`,
    `tx ${hex64}`,
    `txid=${hex64}`,
    `hash: 0x${hex64}.`,
    `Byte32(0x${hex64})`,
    `https://explorer.example/block/1153/${hex64}/2`,
    `https://explorer.example/explorer/transactions/btc/${hex64}`,
    `txid: ${hex64}`,
    `\`${hex64}\``,
  ])("finds the hash in %s", (text) => {
    expect(detect(text)).toMatchObject({ kind: "block-hash", hash: `0x${hex64}` });
  });

  test("says that one can be searched at a time, and that several addresses make a wallet", () => {
    const other = `0x${"cd".repeat(32)}`;
    const address = `${shortAddress.slice(0, -1)}q`;
    const message = "Enter only one";
    for (const text of [`${hex64}:0 ${hex64}:1`, `${hex64}, ${other}`, `${shortAddress} ${other}`]) {
      expect(detect(text), text).toEqual({ kind: "fault", message, isName: false });
    }
    expect(detect(`https://explorer.example/${shortAddress}/${address}`)).toMatchObject({
      message: `${message}: to combine several addresses, open /wallet`,
    });
    const page = "https://aqs.example/addresses/";
    for (const between of [" ", ",", ", ", "\n", "/", `\n${page}`]) {
      const text = `${between.includes(page) ? page : ""}${shortAddress}${between}${address}`;
      expect(detect(text), text).toMatchObject({
        message: `${message}: to combine several addresses, open /wallet`,
      });
    }
  });

  test("takes the start of a hash or an address that ends in dots", () => {
    for (const dots of ["…", "..."]) {
      expect(partsIn(`0x${hex64.slice(0, 8)}${dots}`).hash).toEqual({ start: hex64.slice(0, 8), end: "" });
      expect(partsIn(`${shortAddress.slice(0, 16)}${dots}`).addresses[0]).toMatchObject({
        start: shortAddress.slice(0, 16),
      });
    }
  });

  test("leaves the parts of a shortened address to the search for parts", () => {
    expect(detect(`${shortAddress}…${shortAddress.slice(-6)}`).kind).toBe("fault");
  });

  test("keeps the query of a page that a Markdown link names", () => {
    const view = "?order=desc";
    expect(detect(`[x](https://aqs.example/addresses/${shortAddress}${view})`)).toMatchObject({ view });
    expect(detect(`[x](https://aqs.example/transactions/${hex64}${view})`)).toMatchObject({ view });
  });

  test("keeps the query of a transaction's page, unless a fragment names an output", () => {
    const page = `https://aqs.example/transactions/0x${hex64}?tab=outputs`;
    expect(detect(page)).toEqual({ kind: "block-hash", hash: `0x${hex64}`, view: "?tab=outputs" });
    expect(detect(`${page}#3`)).toMatchObject({ kind: "out-point", outputIndex: 3 });
  });

  test("takes eight digits or more as the start of a hash, and ten characters or more of an address", () => {
    const none = { hash: undefined, addresses: [] };
    expect(partsIn("0xABABABAB")).toEqual({
      hash: { start: "abababab", end: "" },
      addresses: [{ start: "", end: "0xabababab" }],
    });
    expect(partsIn(` "${hex64.slice(1)}" `).hash).toEqual({ start: hex64.slice(1), end: "" });
    expect(partsIn(cutToText(cutTransactionHash(`0x${hex64}`))).hash).toEqual({
      ...{ start: "abababab", end: "abababab" },
    });
    for (const text of ["0xabababa…abababab", "0xabababab…abg"]) expect(partsIn(text).hash).toBe(undefined);
    const [start, end] = [shortAddress.slice(0, 10), shortAddress.slice(-10)];
    for (const text of [start, `"${start.toUpperCase()}"`]) {
      expect(partsIn(text)).toEqual({ ...none, addresses: [{ start, end: "" }] });
    }
    expect(partsIn(end.toUpperCase())).toEqual({ ...none, addresses: [{ start: "", end }] });
    for (const text of ["abababa", start.slice(1, 10), "ckb1qyqb83", "hello world", end.slice(1)]) {
      expect(partsIn(text), text).toEqual(none);
    }
  });

  test("takes an address with its middle left out, if six of ten characters or more are its end", () => {
    const [start, end] = [shortAddress.slice(0, 8), shortAddress.slice(-6)];
    for (const mark of ["…", "...", ".."]) {
      const text = `${start}${mark}${end}`;
      expect(partsIn(text).addresses, text).toEqual([{ start, end }]);
      expect(partsIn(` (${text.toUpperCase()})`).addresses, text).toEqual([{ start, end }]);
    }
    expect(partsIn(`…${shortAddress.slice(-10)}`).addresses).toEqual([
      { start: "", end: shortAddress.slice(-10) },
    ]);
    const short = cutToText(cutAddress(shortAddress));
    expect(partsIn(short).addresses, "as pages write it").toHaveLength(1);
    const hashForm = `lock-hash:0x${hex64}`;
    expect(partsIn(cutToText(cutAddress(hashForm))).addresses).toEqual([
      { start: hashForm.slice(0, 18), end: hashForm.slice(-8) },
    ]);
    for (const text of [
      ...[`${start}….${end}`, `${start}.${end}`, `${start}…${end.slice(1)}`, `ckb…${end}`, `btc1qyqx…${end}`],
      ...[`${start}…${end}…${end}`, `${start}…`, `…${end}`, `ckb1qyqb…${end}`, `${start}…bobbob`],
    ]) {
      expect(partsIn(text).addresses, text).toEqual([]);
    }
  });

  test("reads the longest text without delay", () => {
    const start = performance.now();
    for (const part of [
      ...[
        '"',
        "a:",
        "/",
        "1,",
        "vout=",
        "#",
        "ab".repeat(32),
        "block",
        "q=.",
        "a:/",
        "index ",
        "ckb1qyqt8xa:",
      ],
    ]) {
      expect(detect(part.repeat(8_000 / part.length)).kind).toBeTruthy();
    }
    expect(detect(`${hex64},${"cd".repeat(32)},${"a:".repeat(3_900)}`).kind).toBe("fault");
    expect(performance.now() - start).toBeLessThan(2_000);
  });

  test("takes the URL of an asset's page for the asset", () => {
    const detected = detect(`https://aqs.example/assets/0x${hex64.toUpperCase()}?row=2`);
    expect(detected).toEqual({ kind: "asset", id: `0x${hex64}`, view: "?row=2" });
    expect(detect("https://aqs.example/assets/usd").kind).toBe("fault");
  });

  test.each([
    [hex64.slice(1), "63 hex digits; a hash has 64"],
    ["0x", "0 hex digits; a hash has 64"],
    ["0x1", "1 hex digit; a hash has 64"],
    [`0x${hex64.slice(2)}zz`, "Character 65 is not a hex digit"],
    [`${shortAddress.slice(0, -1)}V`, "An address is all lower case or all upper case, not mixed"],
    [`ckb1b${shortAddress.slice(5)}`, "Character 5 cannot be in an address"],
    ["ckb1", "The address ends after its prefix"],
    ["ckb1qyq", "7 characters, an address has at least 46"],
    ["hello", "Not an address (ckb1…, ckt1…), a block hash (64 hex digits) or a block number"],
  ])("says what is wrong with %j", (text, message) => {
    expect(detect(text)).toEqual({ kind: "fault", message, isName: text === "hello" });
  });
});
