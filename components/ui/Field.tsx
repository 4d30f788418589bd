import type { ComponentProps } from "react";

interface Props extends Omit<ComponentProps<"input">, "size"> {
  size?: "medium" | "narrow" | "large";
}

const SIZES = { medium: "px-3", narrow: "px-1", large: "px-3 sm:min-h-11" };

export function Field({ size = "medium", className = "", ...rest }: Props) {
  return (
    <input
      {...rest}
      className={`min-h-8 min-w-0 rounded-md border border-control bg-surface text-sm text-text max-sm:min-h-11 ${SIZES[size]} ${className}`}
    />
  );
}
