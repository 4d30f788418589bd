import type { ComponentProps } from "react";

/** The look of what opens over the page. */
export const POPOVER = "rounded-md border border-control bg-surface text-sm text-text";

/** Opened by a button with `popoverTarget={id}`. The browser closes it on Escape and on a press beside it. */
export function Popover({ className = "", ...rest }: ComponentProps<"div">) {
  return <div popover="auto" {...rest} className={`${POPOVER} ${className}`} />;
}

/**
 * Hangs below the header in the corner. On narrow screens it hangs below the search field too, which is under the other
 * controls there.
 */
export function CornerPopover(props: ComponentProps<"div">) {
  return (
    <Popover
      {...props}
      className="fixed inset-auto top-13 right-4 w-[min(360px,calc(100vw-32px))] p-4 max-sm:top-28"
    />
  );
}
