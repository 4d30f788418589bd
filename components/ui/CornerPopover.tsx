import type { ReactNode } from "react";

/**
 * Opened by a button of the header with `popoverTarget={id}`. It hangs below the header in the corner; on narrow
 * screens below the search field too, which is under the other controls there.
 */
export function CornerPopover({ id, children }: { id: string; children: ReactNode }) {
  return (
    <div
      id={id}
      popover="auto"
      className="fixed inset-auto top-13 right-4 w-[min(360px,calc(100vw-32px))] rounded-md border border-control bg-surface p-4 text-text max-sm:top-28"
    >
      {children}
    </div>
  );
}
