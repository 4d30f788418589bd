import { RequestError } from "./request.ts";

/** Version of the page's code, which may be older than the server's. The build inlines it. */
const VERSION = process.env.VERSION ?? "unknown";

interface FailureText {
  title: string;
  advice: string;
  /** `retry` if unset; `sign-in` if another token may help; `none` if trying again cannot help. */
  remedy?: "retry" | "sign-in" | "none";
}

const texts: Record<RequestError["code"], FailureText> = {
  BAD_REQUEST: {
    title: "The request was refused as invalid",
    advice: "A value in the URL is not valid. Open the list from its top.",
    remedy: "none",
  },
  UNAUTHORIZED: { title: "Session expired", advice: "Sign in to load more.", remedy: "sign-in" },
  FORBIDDEN: {
    title: "This access token does not give access to this data",
    advice: "It lacks the scope for this list. Sign in with one that has it.",
    remedy: "sign-in",
  },
  NOT_FOUND: {
    title: "No longer there",
    advice: "The block is not on the canonical chain, or is not indexed here.",
  },
  METHOD_NOT_ALLOWED: {
    title: "The server does not support this request",
    advice: "Something between this page and the API changed it.",
    remedy: "none",
  },
  NOT_ACCEPTABLE: {
    title: "The server cannot respond in this format",
    advice: "Something between this page and the API changed the request.",
    remedy: "none",
  },
  TOO_MANY_REQUESTS: {
    title: "Rate limit reached",
    advice: "This access token has used up its requests for now.",
  },
  INTERNAL_SERVER_ERROR: {
    title: "The server failed",
    advice: "The fault is on the server. If it happens again, give the operator the request id.",
  },
  SERVICE_UNAVAILABLE: { title: "The server is overloaded", advice: "It is rejecting some requests." },
  UNREACHABLE: { title: "The server cannot be reached", advice: "Check the network connection." },
  TIMEOUT: { title: "The server did not respond in time", advice: "It may be busy. Try again in a moment." },
  UNREADABLE: {
    title: "The response could not be read",
    advice: "A proxy between this page and the API may have responded instead.",
  },
  CURSOR_REPEATED: {
    title: "The list does not advance",
    advice: "The server sent the same cursor twice, so loading stopped. Reload to start again.",
    remedy: "none",
  },
  LIST_REPLACED: {
    title: "The chain changed while the list was read",
    advice: "A reorganisation replaced blocks that the list was read from. Read it again.",
    remedy: "none",
  },
};

export function failureText(error: Error): Required<FailureText> {
  const text = error instanceof RequestError ? texts[error.code] : undefined;
  return { remedy: "retry", ...(text ?? { title: "This page failed", advice: error.message }) };
}

/** Details of a failure, as text to paste into a report. */
export function failureDetails(error: Error & { digest?: string }, page: string): string {
  const lines = [`Page: ${page}`, `Time: ${new Date().toISOString()}`, `Version: ${VERSION}`];
  // The server logs the digest with the cause.
  if (error.digest) lines.push(`Error: ${error.digest}`);
  if (error instanceof RequestError) {
    lines.push(`Code: ${error.code}`, `Status: ${error.status || "none"}`);
    lines.push(`Request id: ${error.requestId || "none"}`);
    for (const issue of error.issues) lines.push(`Issue: ${[...issue.path, issue.message].join(" ")}`);
  }
  return [...lines, `Message: ${error.message}`].join("\n");
}
