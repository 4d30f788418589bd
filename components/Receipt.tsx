"use client";

import type { ReactNode } from "react";
import { withBase } from "#lib/client/base-path.ts";
import type { ReceiptLine } from "#lib/client/receipts.ts";
import { curlOf } from "#lib/client/request.ts";
import { CopyButton } from "./CopyButton.tsx";
import { Fact } from "./Fact.tsx";
import { Link } from "./Link.tsx";
import { FactList, FactRow } from "./ui/FactList.tsx";

export interface ReceiptProps {
  lines: readonly ReceiptLine[];
  /** API requests that return the figure, as paths and queries. */
  requests: readonly string[];
  /** Path of a page that shows the figure. */
  link: string;
}

/** The formulas, requests and link with which a reader can check and cite a figure. */
export function Receipt({ lines, requests, link }: ReceiptProps) {
  return (
    <FactList>
      {lines.map(([name, value, note]) => (
        <Fact key={name} name={name} value={value} note={note} />
      ))}
      <dt>{requests.length === 1 ? "Request" : "Requests"}</dt>
      {requests.map((request) => (
        <dd key={request} className="flex min-[480px]:col-start-2 min-w-0 items-center gap-2">
          <span className="mono min-w-0 break-all">GET {withBase(request)}</span>
          <CopyButton text={() => curlOf(window.location.origin, request)} label="the request as cURL" />
        </dd>
      ))}
      <FactRow name="Link to cite" className="flex min-w-0 items-center gap-2">
        <Link href={link} className="mono min-w-0 break-all">
          {withBase(link)}
        </Link>
        <CopyButton text={() => window.location.origin + withBase(link)} label="the link" />
      </FactRow>
    </FactList>
  );
}

interface FoldedProps extends ReceiptProps {
  className: string;
  children?: ReactNode;
}

export function FoldedReceipt({ className, children, ...receipt }: FoldedProps) {
  return (
    <details className={className}>
      <summary className="text-text-2">Where these figures come from</summary>
      <section aria-label="Receipt" className="mt-2">
        {children}
        <Receipt {...receipt} />
      </section>
    </details>
  );
}
