import type { LinePlace } from "../address-statement/read.ts";
import { type Row, statementList } from "../address-statement/response.ts";
import type { Context } from "../operation.ts";
import { type Wallet, walletReader } from "../parse.ts";
import { walk } from "../walk.ts";
import { contract } from "./contract.ts";
import { reference } from "./reference.ts";

const implement = (context: Context) =>
  walk<typeof contract, { address: Wallet }, Row, LinePlace>(contract, context, {
    read: walletReader(context, "query"),

    ...statementList(context),
  });

export const statement = { contract, reference, implement };
