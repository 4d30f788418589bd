import type { ComponentProps } from "react";

/**
 * A grey bar for text that is still loading; its width comes from `className` or `style`. The border has the colour
 * of the bar, and shows it in forced colours, which drop grounds.
 */
export function Skeleton({ className = "", ...rest }: ComponentProps<"span">) {
  return (
    <span
      {...rest}
      className={`inline-block h-3 animate-pulse rounded-[3px] bg-border border motion-reduce:animate-none ${className}`}
    />
  );
}
