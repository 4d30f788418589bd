import type { Context, Implementation } from "../operation.ts";
import { check, type Values } from "../parse.ts";
import { shownOutput, shownOutputs } from "../transaction-outputs/response.ts";
import { blockHeaders } from "../walk.ts";
import { contract } from "./contract.ts";
import { outputAt } from "./read.ts";
import { reference } from "./reference.ts";

type Page = Awaited<ReturnType<typeof shownOutputs>>;

const implement = ({
  store,
  base,
}: Context): Implementation<typeof contract, Values<typeof contract>, Page> => {
  const entry = shownOutput(base);
  return {
    parse: async (params, search) => check(contract, params, search).values(),
    query: async ({ outPoint, ...included }) =>
      shownOutputs(store, await store.query(outputAt, outPoint), included),
    headers: blockHeaders,
    codec: { value: ({ rows }) => entry.value(rows[0]!), json: ({ rows }) => entry.json(rows[0]!) },
  };
};

export const output = { contract, reference, implement };
