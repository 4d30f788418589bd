"use client";

import { withBase } from "#lib/client/base-path.ts";
import { curlOf } from "#lib/client/request.ts";
import { CopyButton } from "./CopyButton.tsx";

/** Copies a request as cURL, without a token, or the address of a page, with the origin of this site. */
export function CopyFromHere({ kind, path }: { kind: "curl" | "link"; path: string }) {
  return kind === "curl" ? (
    <CopyButton text={() => curlOf(window.location.origin, path)} label="the request as cURL" />
  ) : (
    <CopyButton text={() => window.location.origin + withBase(path)} label="the link" />
  );
}
