import { listOf } from "../address-holdings/response.ts";
import { contract } from "./contract.ts";
import { reference } from "./reference.ts";

export const holdings = { contract, reference, implement: listOf(contract, "query") };
