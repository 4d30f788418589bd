import type { ComponentProps } from "react";

/** The look of what opens over the page. */
export const POPOVER = "rounded-lg border bg-surface text-sm text-text shadow-popover";

/** Opened by a button with `popoverTarget={id}`. The browser closes it on Escape and on a press beside it. */
export function Popover({ className = "", ...rest }: ComponentProps<"div">) {
  return <div popover="auto" {...rest} className={`${POPOVER} ${className}`} />;
}

/** Hangs below the button that opens it, at its start or its end, and above if there is no room. */
export function AnchoredPopover({
  at = "start",
  className = "",
  ...rest
}: ComponentProps<"div"> & { at?: "start" | "end" }) {
  const area =
    at === "start"
      ? "[position-area:block-end_span-inline-end]"
      : "[position-area:block-end_span-inline-start]";
  return (
    <Popover
      {...rest}
      className={`m-1 w-max max-w-[min(360px,calc(100vw-32px))] overflow-y-auto p-4 [position-try-fallbacks:flip-block,flip-inline] ${area} ${className}`}
    />
  );
}
