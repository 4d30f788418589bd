import type { ComponentProps } from "react";

export interface ButtonLook {
  /** `accent` is the main action of a form; `quiet` has no frame and takes the colour of the text around it. */
  tone?: "plain" | "accent" | "quiet";
  /** `narrow` saves width in rows of controls; `square` holds a single icon. */
  size?: "medium" | "narrow" | "square" | "large";
}

/** The look of `aria-pressed="true"`. globals.css adds a thick border in forced colours, which drop this. */
export const PRESSED =
  "aria-pressed:border-accent aria-pressed:bg-accent-bg aria-pressed:text-accent aria-pressed:inset-ring";

const BASE = `inline-flex min-h-8 items-center justify-center gap-1.5 rounded-md border text-sm whitespace-nowrap no-underline max-sm:min-h-11 disabled:cursor-default disabled:border-border disabled:text-text-3 ${PRESSED}`;

const HOVER = "not-disabled:hover:bg-sunken";
const TONES = {
  plain: `border-control bg-surface text-text ${HOVER}`,
  accent: "border-accent bg-accent text-surface not-disabled:hover:underline disabled:bg-sunken",
  quiet: `border-transparent ${HOVER}`,
};

const SIZES = {
  medium: "px-3",
  narrow: "px-2",
  square: "min-w-8 max-sm:min-w-11",
  large: "sm:min-h-11 px-5",
};

/** The classes of a button, for links and selects that look like one. */
export function buttonClass({ tone = "plain", size = "medium" }: ButtonLook = {}, className = ""): string {
  return `${BASE} ${TONES[tone]} ${SIZES[size]} ${className}`;
}

/** A button; in a form it submits only if its `type` says so. */
export function Button({ tone, size, className, ...rest }: ButtonLook & ComponentProps<"button">) {
  return <button type="button" {...rest} className={buttonClass({ tone, size }, className)} />;
}
