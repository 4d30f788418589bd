/** Reads files of blocks, of any chain. All functions throw InvalidChainDataError with the file and the place in it. */
import { type FileHandle, open } from "node:fs/promises";
import { InvalidChainDataError } from "./ledger.ts";

/** Maximum bytes of a line or a value: twice the largest block of any chain. */
const MAX_TEXT_BYTES = 64 * 1024 * 1024;

export async function openFile(file: string): Promise<FileHandle> {
  try {
    const handle = await open(file);
    if ((await handle.stat()).isFile()) return handle;
    await handle.close();
  } catch (error) {
    throw new InvalidChainDataError(`${file}: ${(error as Error).message}`);
  }
  throw new InvalidChainDataError(`${file}: not a file`);
}

/**
 * The values of a file with their places: one per line if the first line is complete, otherwise one.
 * @param isValue recognises lines that are a value without being JSON
 */
export async function* readValues(
  file: string,
  isValue: (line: string) => boolean = () => false,
): AsyncGenerator<{ value: unknown; where: string }> {
  let number = 0;
  let found = 0;
  for await (const bytes of linesOf(file)) {
    number += 1;
    const line = bytes.toString().trim();
    if (line === "") continue;
    found += 1;
    const where = `${file}:${number}`;
    let value: unknown;
    try {
      value = isValue(line) ? line : parseJson(line, where);
    } catch (error) {
      if (found > 1) throw error;
      yield { value: await readJson(file), where: file };
      return;
    }
    yield { value, where };
  }
  if (found === 0) throw new InvalidChainDataError(`${file}: the file is empty`);
}

export async function firstNetwork(
  blocks: AsyncIterable<{ network: string | null }>,
): Promise<string | null> {
  for await (const { network } of blocks) if (network !== null) return network;
  return null;
}

export async function readJson(file: string): Promise<unknown> {
  await using handle = await openFile(file);
  const { size } = await handle.stat();
  if (size > MAX_TEXT_BYTES) throw tooLong(file);
  // A byte order mark is not JSON.
  return parseJson((await handle.readFile("utf8")).trim(), file);
}

async function* linesOf(file: string): AsyncGenerator<Buffer> {
  await using handle = await openFile(file);
  let parts: Buffer[] = [];
  let length = 0;
  for await (const chunk of handle.createReadStream({ autoClose: false }) as AsyncIterable<Buffer>) {
    let start = 0;
    for (let end = chunk.indexOf("\n"); end !== -1; end = chunk.indexOf("\n", start)) {
      yield Buffer.concat([...parts, chunk.subarray(start, end)]);
      start = end + 1;
      parts = [];
      length = 0;
    }
    parts.push(chunk.subarray(start));
    length += chunk.length - start;
    if (length > MAX_TEXT_BYTES) throw tooLong(file);
  }
  yield Buffer.concat(parts);
}

const tooLong = (file: string) =>
  new InvalidChainDataError(`${file}: a value is longer than ${MAX_TEXT_BYTES >> 20} MB`);

function parseJson(text: string, where: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new InvalidChainDataError(`${where}: not JSON: ${(error as Error).message}`);
  }
}
