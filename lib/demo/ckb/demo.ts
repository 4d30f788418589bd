import type { GenerateDemo } from "#lib/demo/types.ts";
import { demoChain } from "./demo-chain.ts";
import { demoLedger } from "./demo-ledger.ts";

export const generateDemo: GenerateDemo = (endsAt) => demoLedger(demoChain({ endsAt }));
