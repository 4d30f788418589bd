"use client";

import { type ReactNode, useId } from "react";
import { POPOVER, PopoverTitle } from "./ui/Popover.tsx";

interface Props {
  title: string;
  onClose: () => void;
  children: ReactNode;
}

function openWhileRendered(dialog: HTMLDialogElement) {
  dialog.showModal();
  return () => dialog.close();
}

/** A dialog that is open while it is rendered. The browser returns the focus to where it was before. */
export function Modal({ title, onClose, children }: Props) {
  const id = useId();
  return (
    <dialog
      ref={openWhileRendered}
      aria-labelledby={id}
      // A press beside it closes it, like Escape.
      closedby="any"
      className={`${POPOVER} m-auto max-h-[calc(100dvh-32px)] w-[min(460px,calc(100vw-32px))] p-4 backdrop:bg-[rgb(0_0_0/40%)]`}
      // An event of an earlier closing may come when it is open again.
      onClose={({ currentTarget }) => currentTarget.open || onClose()}
    >
      <PopoverTitle id={id} title={title} close={{ onClick: onClose }} />
      {children}
    </dialog>
  );
}
