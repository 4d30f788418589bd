import { type ReactNode, useState } from "react";
import { CloseIcon } from "#components/icons.tsx";
import { focusResults } from "#components/navigation.tsx";
import { Button } from "./Button.tsx";

interface Props {
  children: ReactNode;
  action: ReactNode;
  quiet?: boolean;
  /** Leaves room for another bar below. */
  raised?: boolean;
  className?: string;
}

/** A message at the bottom of the window that does not move the page. On phones it has the full width. */
export function NewsBar({ children, action, quiet = false, raised = false, className = "" }: Props) {
  return (
    <div
      role={quiet ? undefined : "status"}
      data-foot={raised ? undefined : ""}
      className={`fixed inset-x-0 bottom-0 z-20 flex items-center justify-between gap-3 bg-text ps-4 text-[13px] text-bg shadow-popover sm:bottom-4 sm:mx-auto sm:w-fit sm:rounded-full sm:py-1 sm:pe-1 sm:text-sm print:hidden sm:[&_button]:rounded-full ${raised ? "[body:has([data-foot])_&]:bottom-14 sm:[body:has([data-foot])_&]:bottom-18" : ""} ${className}`}
    >
      <span>{children}</span>
      {action}
    </div>
  );
}

/** A bar that the reader can dismiss: it stays away until its text changes, and while a list loads all its rows. */
export function DismissibleNews({ text, action }: { text: string; action: ReactNode }) {
  const [dismissed, setDismissed] = useState("");
  if (dismissed === text) return null;
  function dismiss() {
    focusResults();
    setDismissed(text);
  }
  return (
    <NewsBar
      className="[body:has([data-loading-all])_&]:hidden"
      action={
        <span className="flex gap-1">
          {action}
          <Button size="square" aria-label="Dismiss" onClick={dismiss}>
            <CloseIcon />
          </Button>
        </span>
      }
    >
      {text}
    </NewsBar>
  );
}
