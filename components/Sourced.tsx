import { type ReactNode, useId } from "react";
import { Receipt, type ReceiptProps } from "./Receipt.tsx";
import { AnchoredPopover } from "./ui/Popover.tsx";

interface Props {
  name: string;
  receipt: ReceiptProps;
  className?: string;
  /** The surrounding sentence already names the figure. */
  named?: boolean;
  children: ReactNode;
}

/** A figure that opens its receipt when it is clicked. */
export function Sourced({ name, receipt, className = "", named = false, children }: Props) {
  const id = useId();
  return (
    <span className="inline-block max-w-full flex-none">
      <button
        type="button"
        popoverTarget={id}
        title={`${name}: where this figure comes from`}
        className={`rounded-md text-start decoration-dotted underline-offset-4 hover:underline ${className}`}
      >
        {!named && <span className="sr-only">{name}: </span>}
        {children}
      </button>
      <AnchoredPopover
        id={id}
        title={name}
        aria-label={`Receipt: ${name}`}
        className="w-[min(560px,calc(100vw-32px))]! max-w-none! font-normal text-sm tracking-normal"
      >
        <Receipt {...receipt} />
      </AnchoredPopover>
    </span>
  );
}
