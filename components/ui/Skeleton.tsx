import type { ComponentProps } from "react";

/** A grey bar for text that is still loading; its width comes from `className` or `style`. */
export function Skeleton({ className = "", ...rest }: ComponentProps<"span">) {
  return (
    <span
      {...rest}
      className={`inline-block h-3 animate-pulse rounded-[3px] bg-border motion-reduce:animate-none forced-colors:border forced-colors:border-[GrayText] ${className}`}
    />
  );
}
