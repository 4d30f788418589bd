import type { ComponentProps } from "react";

export interface ButtonLook {
  /** `primary` is a page's main action; `quiet` has a faint background; `bare` has one only on hover. */
  tone?: "quiet" | "primary" | "bare";
  size?: "medium" | "narrow" | "square";
}

/** Classes for `aria-pressed="true"`. globals.css adds a thick border for forced colours, which drop these. */
export const PRESSED = "aria-pressed:bg-text aria-pressed:text-bg";

const BASE = `inline-flex min-h-8 items-center justify-center gap-1.5 rounded-md border border-transparent font-medium text-[13px]/5 whitespace-nowrap no-underline max-sm:min-h-11 disabled:cursor-default disabled:text-text-3 ${PRESSED}`;

const TONES = {
  quiet: "bg-sunken text-text not-disabled:not-aria-pressed:hover:bg-border",
  primary: "bg-accent text-bg not-disabled:hover:brightness-95 disabled:bg-sunken",
  bare: "text-text-2 not-disabled:not-aria-pressed:hover:bg-sunken not-disabled:not-aria-pressed:hover:text-text",
};

const SIZES = {
  medium: "px-3",
  narrow: "px-2.5",
  square: "min-w-8 max-sm:min-w-11",
};

/** Classes for buttons, and for links and selects that look like buttons. */
export function buttonClass({ tone = "quiet", size = "medium" }: ButtonLook = {}, className = ""): string {
  return `${BASE} ${TONES[tone]} ${SIZES[size]} ${className}`;
}

/** A button that does not submit a form unless its `type` is `submit`. */
export function Button({ tone, size, className, ...rest }: ButtonLook & ComponentProps<"button">) {
  return <button type="button" {...rest} className={buttonClass({ tone, size }, className)} />;
}
