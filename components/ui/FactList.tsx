import type { ComponentProps } from "react";

/** Contains `dt` and `dd` in two columns. Below 480 pixels each value is under its name, unless they are `short`. */
export function FactList({
  short = false,
  className = "",
  ...rest
}: ComponentProps<"dl"> & { short?: boolean }) {
  return (
    <dl
      {...rest}
      className={`grid grid-cols-[max-content_minmax(0,1fr)] items-baseline gap-x-4 gap-y-1 [&>dt]:text-text-2 ${short ? "" : "max-[480px]:grid-cols-1 max-[480px]:gap-0 max-[480px]:[&>dd]:mb-2"} ${className}`}
    />
  );
}
