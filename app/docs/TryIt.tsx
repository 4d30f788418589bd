"use client";

import { startTransition, useActionState, useState } from "react";
import { CopyButton } from "#components/CopyButton.tsx";
import { ButtonLink, Link } from "#components/Link.tsx";
import { Button } from "#components/ui/Button.tsx";
import { Field } from "#components/ui/Field.tsx";
import { withBase } from "#lib/client/base-path.ts";
import { curlOf, type Params, type Query, type RequestPath, urlOf } from "#lib/client/request.ts";
import { parseExactJson, stringifyExactJson } from "#lib/util/json.ts";

export interface TryField {
  name: string;
  in: "path" | "query";
  required: boolean;
  hint: string;
  example: string;
}

interface Received {
  status: number;
  statusText: string;
  milliseconds: number;
  headers: [string, string][];
  body: string;
}

/** Paths of dashboard pages with the same data, by the parameter that follows. */
const PAGES: Record<string, string> = {
  address: "/addresses/",
  blockHash: "/blocks/",
  hash: "/transactions/",
  id: "/assets/",
};

const SHOWN_HEADERS = /^(content-type|etag|retry-after|www-authenticate|x-|ratelimit-)/;

/** Sends a request to the API with the reader's session. */
export function TryIt(props: { path: RequestPath; fields: TryField[]; signedIn: boolean }) {
  const { path, fields, signedIn } = props;
  const [values, setValues] = useState(() =>
    Object.fromEntries(fields.map((field) => [field.name, field.example])),
  );
  const pick = (place: TryField["in"]) =>
    Object.fromEntries(
      fields.filter((field) => field.in === place).map((field) => [field.name, values[field.name] ?? ""]),
    );
  const url = urlOf(path, pick("path") as Params<RequestPath>, pick("query") as Query<RequestPath>);
  const subject = fields.find((field) => field.in === "path");
  const page = subject && PAGES[subject.name];
  const subjectValue = subject ? (values[subject.name] ?? "") : "";

  const [outcome, submit, busy] = useActionState<Received | string | null>(
    () => send(url).catch((error: Error) => error.message),
    null,
  );

  if (!signedIn) {
    return (
      <p className="mt-3 rounded-lg border bg-surface px-3 py-2 text-text-2">
        <Link href="/sign-in?next=/docs" className="underline">
          Sign in
        </Link>{" "}
        to try this request from here.
      </p>
    );
  }
  return (
    <form
      className="mt-3 min-w-0 rounded-lg border bg-surface p-3"
      onSubmit={(event) => {
        event.preventDefault();
        startTransition(submit);
      }}
      aria-label={`Try ${path}`}
    >
      <div className="grid gap-2 sm:grid-cols-2">
        {fields.map((field) => (
          <label key={field.name} className={field.in === "path" ? "block sm:col-span-2" : "block"}>
            <span className="text-text-2 text-xs">
              {field.name}
              {field.hint && ` · ${field.hint}`}
            </span>
            <Field
              className="w-full font-mono"
              name={field.name}
              value={values[field.name]}
              required={field.required}
              onChange={(event) => setValues({ ...values, [field.name]: event.target.value })}
            />
          </label>
        ))}
      </div>
      <p className="mono mt-3 wrap-anywhere">GET {withBase(url)}</p>
      <div className="mt-3 flex flex-wrap gap-2">
        <Button type="submit" tone="primary" disabled={busy}>
          {busy ? "Sending" : "Send"}
        </Button>
        <CopyButton text={() => curlOf(window.location.origin, url)} label="as cURL">
          Copy as cURL
        </CopyButton>
        {page && subjectValue !== "" && (
          <ButtonLink href={page + encodeURIComponent(subjectValue)}>Open in the dashboard</ButtonLink>
        )}
      </div>
      <div aria-live="polite">{outcome !== null && <Outcome outcome={outcome} />}</div>
    </form>
  );
}

/** @param outcome the response; or the message of the error if there is none */
function Outcome({ outcome }: { outcome: Received | string }) {
  if (typeof outcome === "string")
    return <p className="mt-3 text-bad">The server could not be reached: {outcome}</p>;
  const { status, statusText, milliseconds, headers, body } = outcome;
  return (
    <div className="mt-3">
      <p>
        <span className={`font-semibold ${status < 400 ? "text-good" : "text-bad"}`}>
          {status} {statusText}
        </span>{" "}
        <span className="text-text-2">in {milliseconds.toFixed(0)} ms</span>
      </p>
      <details className="mt-1">
        <summary>Headers</summary>
        <dl className="mono mt-1">
          {headers.map(([name, value]) => (
            <div key={name} className="wrap-anywhere">
              <dt className="inline text-text-2">{name}: </dt>
              <dd className="inline">{value}</dd>
            </div>
          ))}
        </dl>
      </details>
      {/* A scrolling area must be reachable by keyboard. */}
      <section
        className="mt-2 max-h-96 overflow-y-auto rounded-lg bg-sunken p-3"
        tabIndex={0}
        aria-label="Response body"
      >
        <pre className="mono break-all whitespace-pre-wrap">{body}</pre>
      </section>
    </div>
  );
}

async function send(url: string): Promise<Received> {
  const began = performance.now();
  const response = await fetch(withBase(url), { headers: { accept: "application/json" } });
  const text = await response.text();
  return {
    status: response.status,
    statusText: response.statusText,
    milliseconds: performance.now() - began,
    headers: [...response.headers].filter(([name]) => SHOWN_HEADERS.test(name)),
    body: indented(text),
  };
}

/** Indents JSON without changing the digits of its integers. Other text stays as it is. */
function indented(text: string): string {
  try {
    return stringifyExactJson(parseExactJson(text), 2);
  } catch {
    return text;
  }
}
