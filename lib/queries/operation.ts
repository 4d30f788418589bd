import type { z } from "zod";
import type { Address } from "#lib/contract/ledger.ts";
import type { Contract } from "#lib/contract/operation.ts";
import type { IndexTip } from "#lib/store/rows.ts";
import type { Store } from "#lib/store/store.ts";
import type { Codec } from "./codec.ts";
import type { CursorCodec } from "./cursor.ts";
import { check, type Values } from "./parse.ts";
import type { Reference } from "./reference.ts";

export interface Context {
  store: Store;
  cursors: CursorCodec;
  /** Reads any text form of an address of the served network. Throws AddressError. */
  parseAddress(text: string): Promise<Address>;
  /** The start of this server's URLs in responses. */
  base: string;
}

/** The parameters of a request as they were sent. */
export interface Given {
  /** Path parameters, percent-decoded. */
  params: Record<string, string>;
  /** The part of the URL after `?`. */
  query: string;
}

/** Whole lines of a list, and the tip at which they were read. */
export interface Lines {
  tip: IndexTip | null;
  text: string;
  /** Header fields of the whole response. */
  headers?: Record<string, string>;
}

/** Serves the requests of an operation. `Input`: all parameters, read and checked. */
export interface Implementation<C extends Contract, Input, Page> {
  /** Throws BAD_REQUEST with every violated parameter. */
  parse(params: Record<string, string>, search: URLSearchParams): Promise<Input>;
  query(input: Input): Promise<Page>;
  codec: Codec<Page, z.output<C["response"]>>;
  /** Header fields beside those of every response. */
  headers?(page: Page, given: Given): Record<string, string>;
  /** The rest of the list, one entry per line, then the cursor. Reads `atOnce` entries for each piece. */
  lines?(input: Input, atOnce?: number): AsyncGenerator<Lines>;
}

/** An operation of the API, as its folder exports it. */
export interface Operation<C extends Contract, Input, Page extends { tip: IndexTip | null }> {
  contract: C;
  reference: Reference<C>;
  implement(context: Context): Implementation<C, Input, Page>;
}

/** Serves an operation without a cursor, whose parameters need no further reading. */
export const direct = <C extends Contract, Page>(
  contract: C,
  parts: Omit<Implementation<C, Values<C>, Page>, "parse">,
): Implementation<C, Values<C>, Page> => ({
  parse: async (params, search) => check(contract, params, search).values(),
  ...parts,
});
