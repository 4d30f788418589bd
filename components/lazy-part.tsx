import { type ComponentType, lazy } from "react";

/** A component whose code loads when it is first shown. If that fails, a sentence about `what` stands in its place. */
export const lazyPart = <Props,>(what: string, load: () => Promise<{ default: ComponentType<Props> }>) =>
  lazy(() =>
    load().catch(() => ({
      default: () => <p>{what} could not be loaded. Reload the page and try again.</p>,
    })),
  );
