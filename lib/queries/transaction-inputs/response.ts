import { listOf } from "../transaction-outputs/response.ts";
import { contract } from "./contract.ts";
import { reference } from "./reference.ts";

export const transactionInputs = { contract, reference, implement: listOf(contract, "inputs") };
