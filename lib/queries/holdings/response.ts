import type { HoldingPlace, HoldingRow } from "../address-holdings/read.ts";
import { holdingsList } from "../address-holdings/response.ts";
import type { Context } from "../operation.ts";
import { type Wallet, walletReader } from "../parse.ts";
import { walk } from "../walk.ts";
import { contract } from "./contract.ts";
import { reference } from "./reference.ts";

const implement = (context: Context) =>
  walk<typeof contract, { address: Wallet }, HoldingRow, HoldingPlace>(contract, context, {
    read: walletReader(context, "query"),

    ...holdingsList(context),
  });

export const holdings = { contract, reference, implement };
