/** The servers that the tests run against. Config, servers and tests all read this list. */
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("..", import.meta.url));

const FIRST_PORT = Number(process.env.E2E_PORT ?? 4510);

export type SiteName = "demo" | "mainnet" | "growing" | "empty" | "litecoin";

/**
 * - `demo`: the demo chain; tests only read it.
 * - `mainnet`: real mainnet blocks; tests only read it.
 * - `growing`: starts empty; tests fill it from a stand-in node.
 * - `empty`: stays empty; for campaigns.
 * - `litecoin`: blocks of another chain, without tokens; tests only read it.
 */
export const sites: Record<SiteName, { port: number; chain?: string }> = {
  demo: { port: FIRST_PORT },
  mainnet: { port: FIRST_PORT + 1 },
  growing: { port: FIRST_PORT + 2 },
  empty: { port: FIRST_PORT + 3 },
  litecoin: { port: FIRST_PORT + 4, chain: "litecoin" },
};

export const urlOf = (name: SiteName): string => `http://127.0.0.1:${sites[name].port}`;
const folderOf = (name: SiteName): string => `${root}test-results/sites/${name}`;
export const databaseOf = (name: SiteName): string => `sqlite:${folderOf(name)}/aqs.db`;
export const factsFile = (name: SiteName): string => `${folderOf(name)}/facts.json`;

/** Data that a server writes for its tests when it starts. */
export interface Facts {
  tokens: { full: string; utxosOnly: string; changesOnly: string; expired: string };
  /** Interesting addresses, blocks and assets of the chain. */
  notable: Record<string, string>;
  /** The demo chain's address with the second-longest list: hundreds of cells. */
  middling: { address: string; cells: number };
}
