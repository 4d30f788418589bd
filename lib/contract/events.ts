/** The stream of events: what it takes, and what it sends. It is no list, so it is declared apart from `endpoints`. */
import { z } from "zod";
import { commonErrors, type Scope } from "./endpoints.ts";

/** Addresses that one stream may watch. */
export const MAX_WATCHED = 100;

const height = z.int().describe("The block's height");
const hash = z.string().describe("The block's hash");
/** Of the newest indexed block; null while nothing is indexed. */
const head = { height: height.nullable(), hash: hash.nullable() };

/** The data of each event, by its name. */
export const eventData = {
  start: z
    .object(head)
    .describe("The first event of a stream that resumes nothing: the newest indexed block"),
  address: z
    .object({ address: z.string().describe("As the request has it"), height, hash })
    .describe("The address gained or lost outputs in this block, whose `block` event follows"),
  block: z
    .object({
      height,
      hash,
      parentHash: z.string(),
      time: z.string().describe("RFC 3339 UTC with milliseconds"),
    })
    .describe("A block was added on top"),
  "block-removed": z
    .object({ height, hash })
    .describe("The block on top was taken back, with all that its `address` events said"),
  reset: z
    .object({ ...head, reason: z.string() })
    .describe("What happened since the last event is not known: read again, and go on from this block"),
};
export type EventName = keyof typeof eventData;
export type EventData<Name extends EventName> = z.output<(typeof eventData)[Name]>;

export const events = {
  operationId: "streamEvents",
  tag: "Events",
  summary: "Blocks that are added and taken back, and addresses that change",
  description:
    "Server-sent events. Without `address` only blocks, for tokens with the scope `asset-changes:read`; with it, for tokens with `utxos:read`, also what changes these addresses. Send the last `id` as `Last-Event-ID` to go on without losing anything, reorganisations included.",
  path: "/v0/events",
  params: z.object({}),
  query: z.object({
    address: z
      .array(z.string())
      .max(MAX_WATCHED, `Expected at most ${MAX_WATCHED} addresses`)
      .default([])
      .describe(
        "Addresses to watch, in any of their text forms; repeat the parameter. `address[]=` and `address[0]=` are read, too",
      ),
  }),
  errors: commonErrors,
} as const;

/** Which scope a stream needs. A block's place alone is no secret: every answer names the tip. */
export const eventScope = (watchesAddresses: boolean): Scope =>
  watchesAddresses ? "utxos:read" : "asset-changes:read";
