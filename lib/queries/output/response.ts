import { type Context, direct } from "../operation.ts";
import { shownOutput, shownOutputs } from "../transaction-outputs/response.ts";
import { blockHeaders } from "../walk.ts";
import { contract } from "./contract.ts";
import { outputAt } from "./read.ts";
import { reference } from "./reference.ts";

type Page = Awaited<ReturnType<typeof shownOutputs>>;

function implement({ store, base }: Context) {
  const entry = shownOutput(base);
  return direct<typeof contract, Page>(contract, {
    query: async ({ outPoint, ...included }) =>
      shownOutputs(store, await store.query(outputAt, outPoint), included),
    headers: blockHeaders,
    codec: { value: ({ rows }) => entry.value(rows[0]!), json: ({ rows }) => entry.json(rows[0]!) },
  });
}

export const output = { contract, reference, implement };
