import type { z } from "zod";
import type { Contract, Sample } from "#lib/contract/operation.ts";
import type { Examples } from "./examples.ts";

type Given<C extends Contract> = {
  [Name in keyof (z.input<C["params"]> & z.input<C["query"]>)]?: string | number | string[];
};

/** Of a chain, for examples. */
export interface KnownData {
  /** With a few live outputs. */
  address: string;
  blockHash: string;
  asset: string;
  /** Part of an asset's name, and a tag, that the block has. */
  assetName: string;
  tag: string;
}

/** What people and language models learn of an operation beside its contract. */
export interface Reference<C extends Contract> {
  /** Of the reference page: the section's anchor and its title. */
  section: string;
  title: string;
  /** Where the dashboard shows the same; the path parameter follows. `""` if it does not. */
  page: string;
  /** Path parameters worth trying; `""` if there is nothing to show. */
  subject(data: Examples): Record<keyof z.input<C["params"]>, string>;
  /** Optional parameters that the page's form starts with. */
  query: { [Parameter in keyof z.input<C["query"]>]?: string };
  /** `path` has its parameters filled in. The programs read the access token from the environment variable `TOKEN`. */
  samples(origin: string, path: string): Sample[];
  /** The request of its real example, which has a value for each parameter. */
  example: {
    parameters(known: KnownData): Given<C>;
    /** Further parameters, taken from the answer to the first ones. */
    more(answer: z.output<C["response"]>): Given<C>;
    /** Of a list that is walked: what selects a few entries of it for NDJSON. */
    few?(answer: z.output<C["response"]>): Given<C>;
  };
  /** How a model uses it as a tool. */
  usage: string;
  /** An answer for a model, with what strangers wrote under `untrusted`. */
  forModel(answer: z.output<C["response"]>): object;
}

/** A request in cURL. Double quotes let a shell put its variables into the URL. */
export function curl(url: string, comment = "", accept = ""): Sample {
  const quote = url.includes("$") ? '"' : "'";
  const headers = [`Authorization: Bearer $TOKEN`, ...(accept ? [`Accept: ${accept}`] : [])];
  const command = ["curl", ...headers.map((header) => `-H "${header}"`), "\\\n "].join(" ");
  return { language: "cURL", code: `${comment && `# ${comment}\n`}${command} ${quote}${url}${quote}` };
}
