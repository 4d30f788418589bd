/** The stream of events. It is not a list, so it is declared apart from the operations. */
import { z } from "zod";
import { addresses, commonErrors, count, LIST_FORMS, type Scope } from "#lib/contract/operation.ts";

const height = count.describe("The block's height");
const hash = z.string().describe("The block's hash");
const parentHash = z.string().describe("The hash of the block before it");
const head = { height: height.nullable(), hash: hash.nullable() };

/** The data of an event. It repeats the event's name, so that a schema can distinguish events. */
const data = <Type extends string, Fields extends z.ZodRawShape>(
  type: Type,
  fields: Fields,
  description: string,
) => z.object({ type: z.literal(type).describe("The event's name"), ...fields }).describe(description);

/** Maximum number of transactions that an event names. */
export const MAX_EVENT_TRANSACTIONS = 20;

export const eventData = {
  start: data("start", head, "The first event of a stream without `Last-Event-ID`: the newest indexed block"),
  address: data(
    "address",
    {
      address: z.string().describe("As the request has it"),
      height,
      hash,
      transactions: z
        .array(z.string())
        .optional()
        .describe(
          `Hashes of the block's transactions that did so, in order: the first ${MAX_EVENT_TRANSACTIONS}. Missing if they are no longer known, as may happen for a block that was reverted`,
        ),
      transactionCount: count.optional().describe("How many transactions did so"),
    },
    "The `block` or `block-removed` event that follows is about a block that created or spent outputs of the address",
  ),
  block: data(
    "block",
    {
      height,
      hash,
      parentHash,
      time: z.string().describe("RFC 3339 UTC with milliseconds"),
    },
    "A block was added on top",
  ),
  "block-removed": data(
    "block-removed",
    { height, hash, parentHash },
    "The block on top was reverted: its parent is on top again",
  ),
  reset: data(
    "reset",
    { ...head, reason: z.string().describe("Why, for people") },
    "What happened since the last event is not known: read again, and go on from this block",
  ),
};
export type EventName = keyof typeof eventData;
export type EventData<Name extends EventName> = z.output<(typeof eventData)[Name]>;

const [first, ...others] = Object.values(eventData);
export const eventSchema = z
  .discriminatedUnion("type", [first!, ...others])
  .meta({ id: "Event", description: "The data of an event. `type` repeats the event's name" });

export const events = {
  operationId: "streamEvents",
  tag: "Events",
  summary: "Blocks that are added and reverted, and addresses that change",
  description:
    "Server-sent events. Without `address`, the stream reports blocks, and the token needs the scope `asset-changes:read`. With it, the stream also reports changes of these addresses, and the token needs `utxos:read`. Send the last `id` as `Last-Event-ID` to go on without losing anything, reorganisations included.",
  path: "/v0/events",
  params: z.object({}),
  query: z.object({
    address: addresses.default([]).describe(`Addresses to watch, in any of their text forms; ${LIST_FORMS}`),
  }),
  errors: commonErrors,
} as const;

/** The scope that a stream needs. Heights and hashes of blocks alone are no secret: every response names the tip. */
export const eventScope = (watchesAddresses: boolean): Scope =>
  watchesAddresses ? "utxos:read" : "asset-changes:read";
