import { useEffect } from "react";
import { withBase } from "#lib/client/base-path.ts";

/**
 * Opens `target`, or this page, if the reader is signed in after all: a link on another site sends no session cookie, even if
 * there is one, but this request does. `isStranger`: the server took the reader for someone without a session.
 */
export function useOwnSession(isStranger: boolean, target?: string): void {
  useEffect(() => {
    if (!isStranger) return;
    const open = () =>
      window.location.replace(target === undefined ? window.location.href.split("#")[0]! : withBase(target));
    fetch(withBase("/session"))
      .then((response) => response.json())
      .then(({ signedIn }) => signedIn === true && open())
      // If the request fails, the page stays as it is.
      .catch(() => {});
  }, [isStranger, target]);
}
