import type { ReactNode } from "react";

interface Props {
  children: ReactNode;
  action: ReactNode;
  /** Screen readers do not announce what it says. */
  quiet?: boolean;
}

/** Tells of news at the foot of the window, so that nothing on the page moves. */
export function NewsBar({ children, action, quiet = false }: Props) {
  return (
    <div
      role={quiet ? undefined : "status"}
      className="sticky bottom-4 z-20 mx-auto my-2 flex w-fit items-center gap-3 rounded-full bg-text py-1 ps-4 pe-1 text-bg shadow-popover print:hidden [&_button]:rounded-full"
    >
      <span>{children}</span>
      {action}
    </div>
  );
}
