import { curl, type Reference } from "../reference.ts";
import { contract } from "./contract.ts";

export const reference: Reference<typeof contract> = {
  section: "block",
  title: "One block",
  samples: (origin, path) => [
    curl(`${origin}${path}`),
    curl(
      `${origin}${contract.path.replace("{blockHash}", "2026-01-31")}`,
      "The last block of a day, in UTC.",
    ),
  ],
  example: { parameters: ({ blockHash }) => ({ blockHash }), more: () => ({}) },
  usage: `${contract.summary}: its time, and what it moved. It also finds the block at a date or time.`,
  forModel: (block) => block,
};
