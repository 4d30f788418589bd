"use client";

import { type ReactNode, useId } from "react";
import { POPOVER, PopoverTitle } from "./ui/Popover.tsx";

interface Props {
  title: string;
  onClose: () => void;
  /** A click beside the dialog does not close it, because work in it would be lost. */
  staysOpen?: boolean;
  children: ReactNode;
}

function openWhileRendered(dialog: HTMLDialogElement) {
  dialog.showModal();
  return () => dialog.close();
}

/** A dialog that is open while it is rendered. Closing it restores the focus. */
export function Modal({ title, onClose, staysOpen = false, children }: Props) {
  const id = useId();
  return (
    <dialog
      ref={openWhileRendered}
      aria-labelledby={id}
      closedby={staysOpen ? "closerequest" : "any"}
      className={`${POPOVER} m-auto max-h-[calc(100dvh-32px)] w-[min(460px,calc(100vw-32px))] p-4 backdrop:bg-[rgb(0_0_0/40%)]`}
      // The event of an earlier `close` may arrive after it was opened again.
      onClose={({ currentTarget }) => currentTarget.open || onClose()}
    >
      <PopoverTitle id={id} title={title} close={{ onClick: onClose }} />
      {children}
    </dialog>
  );
}
