const KEEP_MS = 60_000;

/** Saves the pieces of a text as a file of the reader's. */
export function download(name: string, pieces: string[]) {
  const url = URL.createObjectURL(new Blob(pieces, { type: "application/octet-stream" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  // The browser reads the file after this call has returned.
  setTimeout(() => URL.revokeObjectURL(url), KEEP_MS);
}
