import type { ReactNode } from "react";

interface Props {
  children: ReactNode;
  action: ReactNode;
  quiet?: boolean;
  /** Leaves room for another bar below. */
  raised?: boolean;
}

/** A message at the bottom of the window that does not move the page. On phones it has the full width. */
export function NewsBar({ children, action, quiet = false, raised = false }: Props) {
  return (
    <div
      role={quiet ? undefined : "status"}
      data-foot={raised ? undefined : ""}
      className={`fixed inset-x-0 bottom-0 z-20 flex items-center justify-between gap-3 bg-text ps-4 text-[13px] text-bg shadow-popover sm:bottom-4 sm:mx-auto sm:w-fit sm:rounded-full sm:py-1 sm:pe-1 sm:text-sm print:hidden sm:[&_button]:rounded-full ${raised ? "[body:has([data-foot])_&]:bottom-14 sm:[body:has([data-foot])_&]:bottom-18" : ""}`}
    >
      <span>{children}</span>
      {action}
    </div>
  );
}
