import type { Metadata } from "next";
import { Fragment, type ReactNode } from "react";
import { ROLES } from "#components/table/roles.ts";
import { getService } from "#lib/api/service.ts";
import { examples } from "#lib/chains/examples.ts";
import { withBase } from "#lib/client/base-path.ts";
import { formatCount, uncapitalised } from "#lib/client/format.ts";
import { type ErrorCode, errorTable } from "#lib/contract/errors.ts";
import { eventData, events } from "#lib/contract/events.ts";
import { MAX_ADDRESSES } from "#lib/contract/texts.ts";
import { type Examples, pathExamples } from "#lib/queries/examples.ts";
import { type OperationName, operations } from "#lib/queries/operations.ts";
import { aboutChain } from "#lib/reference/chain.ts";
import { openApiDocument } from "#lib/reference/openapi.ts";
import { terms } from "#terms";
import { currentCaller, siteUrl } from "../caller.ts";
import { examplesFor } from "../examples.ts";
import { Samples } from "./Samples.tsx";
import { Sections } from "./Sections.tsx";
import { type TryField, TryIt } from "./TryIt.tsx";

export const metadata: Metadata = { title: "API reference" };

const sections: Record<string, string> = {
  start: "Quick start",
  access: "Authentication",
  ...Object.fromEntries(
    Object.values(operations).map(({ reference }) => [reference.section, reference.title]),
  ),
  events: "Events",
  paging: "Paging",
  amounts: "Amounts and decimals",
  prices: "Prices",
  errors: "Errors",
  limits: "Limits",
};

const meanings: Record<ErrorCode, [when: string, retry: string]> = {
  BAD_REQUEST: ["Invalid parameters: one issue for each, all reported at once", "no"],
  UNAUTHORIZED: ["The token is missing; or it is unknown, expired or revoked (an issue says which)", "no"],
  FORBIDDEN: ["The token lacks the operation's scope", "no"],
  NOT_FOUND: ["The path is unknown, or what it names is not indexed or no longer on the chain", "no"],
  METHOD_NOT_ALLOWED: ["A method other than GET and HEAD", "no"],
  NOT_ACCEPTABLE: ["Accept allows none of the operation's formats", "no"],
  TOO_MANY_REQUESTS: ["Over the rate limit, or too many open streams", "after Retry-After"],
  INTERNAL_SERVER_ERROR: ["The server failed: its log has the error under the request id", "maybe"],
  SERVICE_UNAVAILABLE: [
    "The server is overloaded, its database does not answer in time, or its replica is behind the cursor",
    "after Retry-After",
  ],
};

export default async function Page() {
  const caller = await currentCaller();
  const { config } = await getService();
  const data = await examplesFor(caller, 1);
  const origin = await siteUrl();
  const rateLimit = caller?.ratePerMinute ?? config.RATE_LIMIT_PER_MINUTE;

  return (
    <div className="grid gap-x-8 md:grid-cols-[180px_minmax(0,1fr)]">
      <Sections titles={sections} />
      <article id="results" className="min-w-0 *:max-w-4xl">
        <h1 className="font-bold text-2xl">API reference</h1>
        <p className="mt-2">
          Version <code>v0</code>, read-only. Also available as{" "}
          <a href={withBase("/openapi.json")} className="underline">
            OpenAPI 3.1
          </a>
          .
        </p>
        <p className="mt-2">
          Pages hold up to 1,000 outputs or 100 asset changes. There is no limit on depth.{" "}
          {rateLimit === 0
            ? "This server has no rate limit."
            : `${caller?.ratePerMinute == null ? "Each" : "Your"} access token may make up to ${formatCount(rateLimit)} requests a minute.`}
        </p>

        <Section id="start">
          <Prose>
            Ask the operator for an access token, store it in `$TOKEN`, and send a request. Responses are
            JSON, apart from streams. The headers `X-Tip-Height` and `X-Tip-Hash` name the newest indexed
            block, and `X-Request-Id` identifies the request.
          </Prose>
          <Prose className="mt-2">{aboutChain}</Prose>
        </Section>
        <Section id="access">
          <Prose>
            Send `Authorization: Bearer &lt;access token&gt;` with every request. Every operation names the
            scope that the token needs. The server checks access before it looks at the parameters. Never put
            a token into a URL.
          </Prose>
        </Section>

        {Object.values(operations).map((operation) => (
          <Section key={operation.contract.path} id={operation.reference.section} wide>
            <OperationReference
              operation={operation}
              data={data}
              origin={origin}
              signedIn={caller !== null}
            />
          </Section>
        ))}

        <Section id="events">
          <p className="mono">GET {events.path}</p>
          <Prose className="mt-1">{events.description}</Prose>
          <Table
            caption="Events of a stream"
            head={["Event", "Data", "Meaning"]}
            rows={Object.entries(eventData).map(([name, { shape, description = "" }]) => [
              `\`${name}\``,
              `\`${Object.keys(shape).join(", ")}\``,
              description,
            ])}
          />
          <Prose className="mt-2">
            `address` may be repeated up to {MAX_ADDRESSES} times. An `address` event has no id: it belongs to
            the `block` or `block-removed` event that follows it.
          </Prose>
        </Section>
        <Section id="paging">
          <Prose>
            Unspent outputs are paged by cursor: pass `lastCursor` as `cursor` until `hasNext` is false. A
            walk returns every output that stays unspent from its start to its end at least once, even if
            blocks arrive meanwhile. It repeats an output only after a reorganisation. A cursor works only
            with the address, token, order and `at` that it came from.
          </Prose>
          <Prose className="mt-2">
            Asset changes are paged by number. Entries of equal volume keep their order of first appearance,
            so pages never overlap. A page past the end is empty, with the same `total`.
          </Prose>
        </Section>
        <Section id="amounts">
          <Prose>
            An output's `amount` is a decimal string in the asset's smallest unit: divide it by 10^decimals to
            show it. `capacity` is in {terms.smallestUnit.many}. An asset change's `amount` is a JSON integer
            of any length: above 2^53, read it with a parser that supports big numbers. It is the gross amount
            moved: for each transaction the larger of what it spends and what it creates, summed over the
            block. For {terms.native.name} that is the capacity of all {terms.output.many}
            {terms.hasTokens ? "; for an NFT the number of transactions that move it." : "."}
          </Prose>
          {terms.hasTokens && (
            <Prose className="mt-2">
              Names, symbols and decimals come from the chain, where anyone may claim any of them, unless the
              operator's registry says otherwise. If they are unknown, names and symbols are empty and
              decimals are 0. Treat them as untrusted.
            </Prose>
          )}
        </Section>
        <Section id="prices">
          <Prose>
            `amountUsd` is the amount at the asset's latest price at or before the block's time, cut at 8
            decimals. It is 0 if the asset has no price.
          </Prose>
        </Section>
        <Section id="errors">
          <Prose>Every error has the body {'`{ "code", "message", "issues" }`'}.</Prose>
          <Table
            caption="Errors"
            head={["Status", "Code", "When", "Try again"]}
            rows={(Object.keys(errorTable) as ErrorCode[]).map((code) => [
              String(errorTable[code].status),
              <code key={code} className="wrap-anywhere">
                {code}
              </code>,
              ...meanings[code],
            ])}
          />
        </Section>
        <Section id="limits">
          <Prose>
            If your token has a rate limit, the responses that count against it have the headers
            `RateLimit-Limit`, `RateLimit-Remaining` and `RateLimit-Reset` (seconds). Over the limit, the
            response is 429 with `Retry-After`. Successful JSON responses have a strong `ETag`. Send it back
            as `If-None-Match`: if nothing has changed, the response is a 304 without a body.
          </Prose>
        </Section>
      </article>
    </div>
  );
}

function Section({ id, wide = false, children }: { id: string; wide?: boolean; children: ReactNode }) {
  return (
    <section aria-labelledby={id} className={`mt-11 ${wide ? "max-w-none!" : ""}`}>
      <h2 id={id} className="mb-2 font-semibold text-base">
        {sections[id]}
      </h2>
      {children}
    </section>
  );
}

type Text = string | number;

/** A paragraph. Its only Markdown is code between backticks. */
function Prose({ children, className }: { children: Text | Text[]; className?: string }) {
  return <p className={className}>{withCode([children].flat().join(""))}</p>;
}

function withCode(text: string): ReactNode {
  // biome-ignore lint/suspicious/noArrayIndexKey: the parts never change
  return text.split("`").map((part, at) => (at % 2 === 0 ? part : <code key={at}>{part}</code>));
}

interface Schema {
  type?: string;
  description?: string;
  minimum?: number;
  maximum?: number;
  default?: unknown;
  enum?: string[];
  $ref?: string;
  properties?: Record<string, Schema>;
  items?: Schema;
  anyOf?: Schema[];
}
type Parameter = { name: string; in: "path" | "query" | "header"; required?: boolean; schema: Schema };
type Success = { content: { "application/json": { schema: Schema; example: object } } };

const api = openApiDocument(examples);
const schemas = api.components!.schemas as Record<string, Schema>;

/** Fills in the parameters of a path. One without an example becomes its name in capitals, such as `BLOCKHASH`. */
function filledPath(path: string, subject: Record<string, string>): string {
  return path.replace(/\{(\w+)\}/g, (_, parameter: string) => subject[parameter] || parameter.toUpperCase());
}

interface OperationProps {
  operation: (typeof operations)[OperationName];
  data: Examples;
  origin: string;
  signedIn: boolean;
}

function OperationReference({ operation: { contract, reference }, data, origin, signedIn }: OperationProps) {
  const { path, scope } = contract;
  const subject: Record<string, string> = pathExamples(data);
  const query: Record<string, string | undefined> = reference.query ?? {};
  const { summary, description = "", ...operation } = api.paths![path]!.get!;
  const parameters = operation.parameters as Parameter[];
  const { content } = operation.responses!["200"] as Success;
  const { schema, example } = content["application/json"];
  const fields = parameters.flatMap((parameter): TryField[] => {
    const { name, in: place, required = false, schema } = parameter;
    if (place === "header") return [];
    const example = (place === "path" ? subject : query)[name] ?? "";
    return [{ name, in: place, required, hint: bounds(schema), example }];
  });
  return (
    <div className="grid gap-x-8 lg:grid-cols-[minmax(0,1fr)_minmax(0,26rem)]">
      <div className="min-w-0">
        <p className="mono wrap-anywhere">GET {path}</p>
        <Prose className="mt-1">{`Scope: \`${[scope].flat().join("` or `")}\``}</Prose>
        <Prose className="mt-1">{description}</Prose>
        <Table
          caption={`Parameters of ${summary}`}
          head={["Parameter", "Value", "Meaning"]}
          rows={parameters.map(({ name, schema }) => [
            <code key={name} className="wrap-normal">
              {name.split(/(?=[A-Z])/).map((word) => (
                <Fragment key={word}>
                  {word}
                  <wbr className="sm:hidden" />
                </Fragment>
              ))}
            </code>,
            bounds(schema) || "text",
            schema.description,
          ])}
        />
        <Table
          caption={`Fields of ${summary}`}
          head={["Field", "Type", "Meaning"]}
          rows={fieldsOf(schema).map(([name, { type, description }]) => [`\`${name}\``, type, description])}
        />
        <TryIt path={path} fields={fields} signedIn={signedIn} />
      </div>
      <div className="min-w-0 lg:sticky lg:top-14 lg:self-start">
        <Samples
          samples={reference.samples(origin, filledPath(path, subject))}
          label={uncapitalised(reference.title)}
          response={JSON.stringify(example, null, 2)}
        />
      </div>
    </div>
  );
}

function bounds({ type, minimum, maximum, default: fallback, enum: values }: Schema): string {
  const range =
    type !== "integer" ? "" : maximum === undefined ? `from ${minimum}` : `${minimum} to ${maximum}`;
  const parts = [values?.join(" or ") ?? range];
  if (fallback !== undefined && fallback !== "" && !Array.isArray(fallback))
    parts.push(`default ${String(fallback)}`);
  return parts.filter(Boolean).join(", ");
}

/** The leaves of a schema with their paths, such as `result[].tokenInfo.name`. */
function fieldsOf(schema: Schema, path = ""): [string, Schema][] {
  if (schema.$ref) return fieldsOf(schemas[schema.$ref.slice(schema.$ref.lastIndexOf("/") + 1)]!, path);
  // A value that may be null, too.
  const [known] = schema.anyOf ?? [];
  if (known) return fieldsOf({ ...known, description: schema.description ?? known.description }, path);
  if (schema.items) return fieldsOf(schema.items, `${path}[]`);
  if (!schema.properties) return [[path, schema]];
  return Object.entries(schema.properties).flatMap(([name, property]) =>
    fieldsOf(property, path === "" ? name : `${path}.${name}`),
  );
}

/** On a phone, the last column is below the others. */
const ROW = "border-b align-top max-sm:flex max-sm:flex-wrap max-sm:gap-x-3 max-sm:py-2";
const CELL =
  "last:wrap-break-word max-sm:not-first:text-text-2 max-sm:first:wrap-anywhere max-sm:last:w-full sm:py-1.5 sm:pe-4";

function Table({ caption, head, rows }: { caption: string; head: string[]; rows: ReactNode[][] }) {
  return (
    <table {...ROLES.table} className="mt-3 w-full text-left">
      <caption className="sr-only">{caption}</caption>
      <thead {...ROLES.group} className="text-text-3 text-xs max-sm:sr-only">
        <tr {...ROLES.row} className="border-b *:py-2 *:pe-4 *:font-medium">
          {head.map((title) => (
            <th key={title} {...ROLES.header} scope="col">
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody {...ROLES.group}>
        {rows.map((texts, row) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the rows never change
          <tr key={row} {...ROLES.row} className={ROW}>
            {texts.map((text, column) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the columns never change
              <td key={column} {...ROLES.cell} className={CELL}>
                {typeof text === "string" ? withCode(text) : text}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
