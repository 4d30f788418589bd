import type { ComponentProps, ReactNode } from "react";

/**
 * Contains `dt` and `dd` in two columns. Below 480 pixels each value is under its name, unless they are `short`. On touch
 * screens links are 44 pixels high.
 */
export function FactList({
  short = false,
  className = "",
  ...rest
}: ComponentProps<"dl"> & { short?: boolean }) {
  return (
    <dl
      {...rest}
      className={`grid grid-cols-[max-content_minmax(0,1fr)] items-baseline gap-x-4 gap-y-1 [&>dt]:text-text-2 ${short ? "" : "max-[480px]:grid-cols-1 max-[480px]:gap-0 max-[480px]:[&>dd]:mb-2"} pointer-coarse:[&_a]:inline-flex pointer-coarse:[&_a]:min-h-11 pointer-coarse:[&_a]:items-center ${className}`}
    />
  );
}

interface RowProps {
  name: string;
  className?: string;
  children: ReactNode;
}

/** A name and a value in a `FactList`. */
export const FactRow = ({ name, className, children }: RowProps) => (
  <>
    <dt>{name}</dt>
    <dd className={className}>{children}</dd>
  </>
);
