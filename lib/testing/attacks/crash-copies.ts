/**
 * `node_modules/.bin/node lib/testing/attacks/crash-copies.ts [COPIES]`: the files of a SQLite database are copied one
 * after the other, at random moments, under a running `aqs sync`. About two minutes.
 *
 * The promise: a copy is sound and goes on, or `aqs verify` or `aqs sync` refuse it in words. None passes `verify` and
 * holds anything but the chain.
 */
import { copyFileSync, existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { Random } from "#lib/chains/ckb/demo/random.ts";
import { StandInNode } from "#lib/chains/ckb/testing/stand-in-node.ts";
import { openStore } from "#lib/store/open.ts";
import { Aqs, aqs, check, grow, growingChain, heightOf, inFolder } from "./drill.ts";

const COPIES = Number(process.argv[2] ?? 12);
const random = new Random(11);
const chain = growingChain();
grow(chain, 1_500);

await inFolder(async (folder) => {
  await using node = await StandInNode.start({ blocks: chain.blocks });
  const hashes = chain.blocks.map(({ header }) => header.hash);
  const counts = { sound: 0, refused: 0, wrong: 0 };
  const words = new Set<string>();
  for (let n = 0; n < COPIES; n++) {
    const database = join(folder, "live.db");
    const copy = join(folder, "copy.db");
    for (const suffix of ["", "-wal", "-shm", "-sync"]) {
      rmSync(database + suffix, { force: true });
      rmSync(copy + suffix, { force: true });
    }
    const run = new Aqs(["sync", "--rpc", node.url, "--once"], database);
    while (run.running && !existsSync(`${database}-wal`)) await wait(5);
    await wait(random.below(1_500));
    // The database first, then the WAL, or the other way round, with some time in between.
    const order = random.below(2) === 0 ? ["", "-wal"] : ["-wal", ""];
    for (const suffix of order) {
      if (existsSync(database + suffix)) copyFileSync(database + suffix, copy + suffix);
      await wait(random.below(100));
    }
    await run.end("SIGKILL");
    const verified = await aqs(["verify"], copy);
    const synced = verified.code === 0 ? await aqs(["sync", "--rpc", node.url, "--once"], copy) : verified;
    if (synced.code !== 0) {
      counts.refused += 1;
      words.add((synced.lines.at(-1) ?? "").replaceAll(`${folder}/`, ""));
      if (synced.lines.some((line) => /^at /.test(line))) counts.wrong += 1;
      continue;
    }
    const again = await aqs(["verify"], copy);
    const store = await openStore(`sqlite:${copy}`);
    const stored = await Promise.all(hashes.map((_, height) => store.blockHashAt(height)));
    await store.close();
    const isRight =
      again.code === 0 &&
      (await heightOf(copy)) === chain.height &&
      stored.every((hash, i) => hash === hashes[i]);
    counts[isRight ? "sound" : "wrong"] += 1;
  }
  check(
    counts.wrong === 0,
    "no copy passes verify and is wrong",
    `${COPIES} copies: ${counts.sound} sound, ${counts.refused} refused, ${counts.wrong} wrong`,
  );
  for (const word of words) console.log(`        refused with: ${word}`);
});
