import type { ComponentProps } from "react";

/** An icon as a button: 28 pixels wide, 44 on touch screens. Set its `aria-label`. */
export function IconButton({ className = "", ...rest }: ComponentProps<"button">) {
  return (
    <button
      type="button"
      {...rest}
      className={`inline-flex size-7 flex-none items-center justify-center rounded-md align-middle text-text-3 hover:bg-sunken hover:text-text pointer-coarse:size-11 ${className}`}
    />
  );
}
