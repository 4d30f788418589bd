import { redirect } from "next/navigation";
import { referenceIn } from "#lib/client/detect.ts";
import { changeParameters } from "#lib/client/url-state.ts";

/** Redirects to a page of this site. */
export function redirectTo(path: string): never {
  // A header takes no other characters than ASCII.
  const { pathname, search, hash } = new URL(path, "http://page");
  redirect(pathname + search + hash);
}

/** Redirects if a parameter names a block in a form that the API does not take. Forms without scripts send it as pages write it. */
export function redirectToPlainReferences(path: string, ...parameters: string[]): void {
  const query = new URLSearchParams(path.split("?")[1]);
  const changes: Record<string, string> = {};
  for (const name of parameters) {
    const text = query.get(name) ?? "";
    const reference = referenceIn(text) ?? text;
    if (reference !== text) changes[name] = reference;
  }
  if (Object.keys(changes).length > 0) redirectTo(changeParameters(path, changes));
}
