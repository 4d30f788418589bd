import type { ComponentProps } from "react";

/** The look of what opens over the page. */
export const POPOVER = "rounded-md border border-control bg-surface text-sm text-text";

/** Opened by a button with `popoverTarget={id}`. The browser closes it on Escape and on a press beside it. */
export function Popover({ className = "", ...rest }: ComponentProps<"div">) {
  return <div popover="auto" {...rest} className={`${POPOVER} ${className}`} />;
}

/** Hangs in the corner below the header, whose search field has a line of its own on narrow screens. */
export function CornerPopover(props: ComponentProps<"div">) {
  return (
    <Popover
      {...props}
      className="fixed inset-auto top-13 right-4 w-[min(360px,calc(100vw-32px))] p-4 max-sm:top-28"
    />
  );
}
