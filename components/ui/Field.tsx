import type { ComponentProps } from "react";

interface Props extends Omit<ComponentProps<"input">, "size"> {
  size?: "medium" | "narrow" | "large";
}

const SIZES = { medium: "px-3", narrow: "px-1", large: "rounded-lg px-4 text-base sm:min-h-13" };

/**
 * A field with this `ref` takes the focus when it appears. React would call a function of a component at each render, and the field
 * would take the focus again.
 */
export const focusOn = (field: HTMLInputElement | null) => field?.focus();

/** A text field without completion, correction and capitalisation. */
export function Field({ size = "medium", className = "", ...rest }: Props) {
  return (
    <input
      autoComplete="off"
      autoCapitalize="none"
      autoCorrect="off"
      spellCheck={false}
      {...rest}
      className={`min-h-8 min-w-0 rounded-md border border-transparent bg-sunken text-sm text-text hover:border-border max-sm:min-h-11 ${SIZES[size]} ${className}`}
    />
  );
}
