import { useEffect } from "react";
import { withBase, withoutBase } from "#lib/client/base-path.ts";

/**
 * Opens `target`, or this page, if the reader is signed in after all: a link on another site sends no session cookie, even if
 * there is one, but this request does. `isStranger`: the server took the reader for someone without a session. Browsers keep a
 * fragment through redirects, so that it is part of this page's URL.
 */
export function useOwnSession(isStranger: boolean, target?: string): void {
  useEffect(() => {
    if (!isStranger) return;
    const { pathname, search, hash } = window.location;
    // Replacing the page's own URL with a fragment would only scroll. The sign-in page redirects back, which loads it.
    const here = `${withBase("/sign-in")}?next=${encodeURIComponent(withoutBase(pathname) + search)}`;
    const open = () => window.location.replace((target === undefined ? here : withBase(target)) + hash);
    fetch(withBase("/session"))
      .then((response) => response.json())
      .then(({ signedIn }) => signedIn === true && open())
      // If the request fails, the page stays as it is.
      .catch(() => {});
  }, [isStranger, target]);
}
