import { curl, type Reference } from "../reference.ts";
import { contract } from "./contract.ts";

export const reference: Reference<typeof contract> = {
  section: "blocks",
  title: "Blocks",
  query: { pageSize: "2" },
  samples: (origin, path) => [
    curl(`${origin}${path}?from=2026-01-30&to=2026-01-31`, "The blocks of a day, in UTC."),
    curl(`${origin}${path}?canonical=false`, "The blocks that reorganisations replaced."),
  ],
  example: {
    parameters: () => ({ pageSize: 2 }),
    more: ({ result, lastCursor }) => ({
      cursor: lastCursor,
      from: "1",
      to: result[0]!.hash,
      canonical: "true",
    }),
    few: ({ result }) => ({ from: result.at(-1)!.hash, to: result[0]!.hash }),
  },

  usage: `${contract.summary}. While \`hasNext\` is true, pass \`lastCursor\` as \`cursor\` for more.`,
  forModel: (page) => page,
};
