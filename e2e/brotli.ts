import zlib from "node:zlib";

/** Imports what contains the node client, which removes the Brotli decoder. Other tests of the same process need it. */
export async function keepingBrotli<Module>(load: () => Promise<Module>): Promise<Module> {
  const decoder = zlib.createBrotliDecompress;
  const loaded = await load();
  Object.defineProperty(zlib, "createBrotliDecompress", { value: decoder });
  return loaded;
}
