import { listOf } from "../address-statement/response.ts";
import { contract } from "./contract.ts";
import { reference } from "./reference.ts";

export const statement = { contract, reference, implement: listOf(contract, "query") };
