import type { ComponentProps, MouseEvent } from "react";
import { CloseIcon } from "#components/icons.tsx";
import { IconButton } from "./IconButton.tsx";

/** Classes for anything that opens over the page. */
export const POPOVER =
  "rounded-lg border bg-surface text-sm text-text shadow-popover [--color-border:var(--color-edge)] [--color-sunken:var(--color-raised)]";
/** Classes for menus, and for each of their items. */
export const MENU = `p-1.5 ${POPOVER}`;
export const MENU_ITEM = "rounded-md px-2.5 py-1.5";

interface TitleProps {
  id?: string;
  title: string;
  close: ComponentProps<"button">;
}

export function PopoverTitle({ id, title, close }: TitleProps) {
  return (
    <div className="mb-3 flex items-center justify-between gap-4">
      <p id={id} className="font-semibold text-base">
        {title}
      </p>
      <IconButton className="-my-2 -me-1.5" aria-label="Close" {...close}>
        <CloseIcon />
      </IconButton>
    </div>
  );
}

interface Props extends ComponentProps<"div"> {
  id: string;
  title: string;
  at?: "start" | "end";
}

const AREAS = {
  start: "[position-area:block-end_span-inline-end]",
  end: "[position-area:block-end_span-inline-start]",
};

/** Closes a popover of the header, which stays when a link opens another page. */
export function closeAfterLink({ target, currentTarget }: MouseEvent<HTMLElement>): void {
  if ((target as Element).closest("a")) currentTarget.hidePopover();
}

/** Opens below the button with `popoverTarget={id}`, or above if there is no room. The browser closes it on Escape and on a click outside. */
export function AnchoredPopover({ id, title, at = "start", className = "", children, ...rest }: Props) {
  const close = { popoverTarget: id, popoverTargetAction: "hide" } as const;
  return (
    <div
      role="dialog"
      aria-label={title}
      {...rest}
      id={id}
      popover="auto"
      className={`${POPOVER} mx-2 my-1 w-max max-w-[min(360px,calc(100vw-32px))] overflow-y-auto p-4 [position-try-fallbacks:flip-block,flip-inline] ${AREAS[at]} ${className}`}
    >
      <PopoverTitle title={title} close={close} />
      {children}
    </div>
  );
}
