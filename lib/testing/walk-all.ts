interface Page<Entry> {
  result: Entry[];
  hasNext: boolean;
  lastCursor: string;
}

/** Reads a list page by page, each with the cursor of the one before, and returns all entries. */
export async function walkAll<Entry>(page: (cursor: string) => Promise<Page<Entry>>): Promise<Entry[]> {
  const all: Entry[] = [];
  for (let cursor = ""; ; ) {
    const { result, hasNext, lastCursor } = await page(cursor);
    all.push(...result);
    if (!hasNext) return all;
    cursor = lastCursor;
  }
}
