import { redirect } from "next/navigation";
import { detect } from "#lib/client/detect.ts";
import { changeParameters } from "#lib/client/url-state.ts";

/** Redirects to a page of this site. */
export function redirectTo(path: string): never {
  // A header takes no other characters than ASCII.
  const { pathname, search, hash } = new URL(path, "http://page");
  redirect(pathname + search + hash);
}

/** Redirects if a parameter has a block number in another form than plain digits. Forms without scripts send it as pages write it. */
export function redirectToPlainNumbers(path: string, ...parameters: string[]): void {
  const query = new URLSearchParams(path.split("?")[1]);
  const changes: Record<string, string> = {};
  for (const name of parameters) {
    const text = query.get(name) ?? "";
    const found = detect(text);
    if (found.kind === "block-number" && String(found.height) !== text) changes[name] = String(found.height);
  }
  if (Object.keys(changes).length > 0) redirectTo(changeParameters(path, changes));
}
