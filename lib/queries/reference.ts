import type { z } from "zod";
import type { Contract, Sample } from "#lib/contract/operation.ts";

type Given<C extends Contract> = {
  [Name in keyof (z.input<C["params"]> & z.input<C["query"]>)]?: string | number | string[];
};

/** Values of a chain for examples. */
export interface KnownData {
  /** An address with a few live outputs. */
  address: string;
  blockHash: string;
  /** Hash of a transaction with inputs. */
  transaction: string;
  asset: string;
  /** Part of the name of an asset in the block. */
  assetName: string;
  /** A tag of an asset in the block. */
  tag: string;
}

/** Documents an operation for people and language models, beside its contract. */
export interface Reference<C extends Contract> {
  /** Anchor of the section in the reference page. */
  section: string;
  title: string;
  /** Initial values of optional parameters in the page's form. */
  query?: { [Parameter in keyof z.input<C["query"]>]?: string };
  /** Programs that request `path` with the access token in the environment variable `TOKEN`. */
  samples(origin: string, path: string): Sample[];
  /** A real request with a value for each parameter. */
  example: {
    parameters(known: KnownData): Given<C>;
    /** Further parameters, taken from the response to the first ones. */
    more(response: z.output<C["response"]>): Given<C>;
    /** Parameters that select a few entries of a list for NDJSON. */
    few?(response: z.output<C["response"]>): Given<C>;
  };
  /** Tells a model how to use the operation as a tool. */
  usage: string;
  /** A response for a model, with strangers' texts under `untrusted`. */
  forModel(response: z.output<C["response"]>): object;
}

/** A request in cURL. Double quotes let a shell insert variables into the URL. */
export function curl(url: string, comment = "", accept = ""): Sample {
  const quote = url.includes("$") ? '"' : "'";
  const headers = [`Authorization: Bearer $TOKEN`, ...(accept ? [`Accept: ${accept}`] : [])];
  const command = ["curl", ...headers.map((header) => `-H "${header}"`), "\\\n "].join(" ");
  return { language: "cURL", code: `${comment && `# ${comment}\n`}${command} ${quote}${url}${quote}` };
}
