import type { z } from "zod";
import type { Address } from "#lib/contract/ledger.ts";
import type { Contract } from "#lib/contract/operation.ts";
import type { IndexTip } from "#lib/store/rows.ts";
import type { Store } from "#lib/store/store.ts";
import type { Codec } from "./codec.ts";
import type { CursorCodec } from "./cursor.ts";
import type { Reference } from "./reference.ts";

/** What an operation answers from. */
export interface Context {
  store: Store;
  cursors: CursorCodec;
  /** Reads any text form of an address of the served network. Throws AddressError. */
  parseAddress(text: string): Promise<Address>;
  /** What URLs of this server in answers begin with. */
  base: string;
}

/** The parameters of a request as they were sent. */
export interface Given {
  /** Of the path, percent-decoded. */
  params: Record<string, string>;
  /** The part of the URL after `?`. */
  query: string;
}

/** Whole lines of a list, and the tip at which they were read, where it is known. */
export interface Lines {
  tip: IndexTip | null;
  text: string;
  /** Header fields of the whole answer. */
  headers?: Record<string, string>;
}

/** How an operation answers. `Asked`: all its parameters, read and checked. */
export interface Implementation<C extends Contract, Input, Page> {
  /** Throws BAD_REQUEST with every violated parameter. */
  parse(params: Record<string, string>, search: URLSearchParams): Promise<Input>;
  query(asked: Input): Promise<Page>;
  codec: Codec<Page, z.output<C["response"]>>;
  /** Header fields of its own. */
  headers?(page: Page, given: Given): Record<string, string>;
  /** The list from these values on to its end, one entry a line, and then the cursor, in pieces of whole lines. */
  lines?(asked: Input, atOnce?: number): AsyncGenerator<Lines>;
}

/** An operation of the API, as its folder exports it. `lib/queries/list.ts` lists them all. */
export interface Operation<C extends Contract, Input, Page extends { tip: IndexTip | null }> {
  contract: C;
  reference: Reference<C>;
  implement(context: Context): Implementation<C, Input, Page>;
}
