import type { ComponentProps } from "react";
import { PRESSED } from "./Button.tsx";

interface ChipLook {
  tone?: "plain" | "warn";
  size?: "small" | "medium" | "large";
}

// Warnings wrap, so that they are readable without hovering.
const TONES = {
  plain: "bg-sunken text-text-2 whitespace-nowrap",
  warn: "bg-warn-bg text-warn wrap-anywhere whitespace-normal",
};
const SIZES = {
  small: "px-2 text-xs/5",
  medium: "min-h-7 px-3 text-[13px]/5 max-sm:min-h-11",
  large: "min-h-8 px-3 text-sm",
};

function chipClass({ tone = "plain", size = "small" }: ChipLook, className = ""): string {
  return `inline-flex max-w-full items-center gap-1.5 rounded-full border border-transparent font-medium ${TONES[tone]} ${SIZES[size]} ${className}`;
}

/** A few words on a faint background that mark the element beside them. */
export function Chip({ tone, size, className, ...rest }: ChipLook & ComponentProps<"span">) {
  return <span {...rest} className={chipClass({ tone, size }, className)} />;
}

export function ChipButton({
  size,
  className = "",
  ...rest
}: Pick<ChipLook, "size"> & ComponentProps<"button">) {
  const look = `not-aria-pressed:hover:bg-border not-aria-pressed:hover:text-text ${PRESSED} ${className}`;
  return <button type="button" {...rest} className={chipClass({ size }, look)} />;
}
