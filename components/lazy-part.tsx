import { type FunctionComponent, lazy } from "react";

/**
 * A component whose code loads when it is first shown. If that fails, a sentence about `what` stands in its place, or nothing if
 * that is null.
 */
export function lazyPart<Part extends FunctionComponent<never>>(
  what: string | null,
  load: () => Promise<{ default: Part }>,
): Part {
  const missing = () => what !== null && <p>{what} could not be loaded. Reload the page and try again.</p>;
  async function loaded() {
    const { default: part }: { default: unknown } = await load().catch(() => ({ default: missing }));
    return { default: part as FunctionComponent };
  }
  // `lazy` would lose the type parameters of a component.
  return lazy(loaded) as FunctionComponent<never> as Part;
}
