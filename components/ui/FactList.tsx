import type { ComponentProps } from "react";

/** Names and values in two columns, and below 480 pixels one above the other. Holds `dt` and `dd`. */
export function FactList({ className = "", ...rest }: ComponentProps<"dl">) {
  return (
    <dl
      {...rest}
      className={`grid grid-cols-[max-content_minmax(0,1fr)] items-baseline gap-x-4 gap-y-1 max-[480px]:grid-cols-1 max-[480px]:gap-0 [&>dt]:text-text-2 max-[480px]:[&>dd]:mb-2 ${className}`}
    />
  );
}
