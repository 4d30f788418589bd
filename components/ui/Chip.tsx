import type { ComponentProps } from "react";
import { PRESSED } from "./Button.tsx";

interface ChipLook {
  tone?: "plain" | "strong" | "warn";
  size?: "small" | "medium" | "large";
}

// A warning is readable without hovering: it takes as many lines as it needs.
const TONES = {
  plain: "text-text-2 whitespace-nowrap",
  strong: "text-text whitespace-nowrap",
  warn: "border-warn text-warn wrap-anywhere whitespace-normal",
};
const SIZES = {
  small: "px-1.5 text-xs/4.5",
  medium: "min-h-7 px-2 text-xs/4.5 max-sm:min-h-11",
  large: "min-h-8 px-1.5 text-sm",
};

function chipClass({ tone = "plain", size = "small" }: ChipLook, className = ""): string {
  return `inline-flex max-w-full items-center gap-1 rounded-md border ${TONES[tone]} ${SIZES[size]} ${className}`;
}

/** A short word in a frame: a mark on what it stands beside. */
export function Chip({ tone, size, className, ...rest }: ChipLook & ComponentProps<"span">) {
  return <span {...rest} className={chipClass({ tone, size }, className)} />;
}

/** A chip to press, such as a tag that filters. */
export function ChipButton({
  size,
  className = "",
  ...rest
}: Pick<ChipLook, "size"> & ComponentProps<"button">) {
  const look = `border-control hover:bg-sunken ${PRESSED} ${className}`;
  return <button type="button" {...rest} className={chipClass({ size }, look)} />;
}
