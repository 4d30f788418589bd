"use client";

import { Dialog } from "radix-ui";
import { type ReactNode, useState } from "react";
import { Button } from "./ui/Button.tsx";

interface Props {
  title: string;
  onClose: () => void;
  children: ReactNode;
  /** Beside the Close button. */
  actions?: ReactNode;
}

/** A dialog that is open while it is rendered. Closing returns the focus to where it was before. */
export function Modal({ title, onClose, children, actions }: Props) {
  const [opener] = useState(() => document.activeElement as HTMLElement | null);
  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Overlay className="fixed inset-0 z-50 bg-[rgb(0_0_0/40%)]" />
        <Dialog.Content
          className="fixed top-1/2 left-1/2 z-51 max-h-[calc(100dvh-32px)] w-[min(460px,calc(100vw-32px))] -translate-1/2 overflow-y-auto rounded-md border border-control bg-surface p-5"
          aria-describedby={undefined}
          onCloseAutoFocus={(event) => {
            event.preventDefault();
            opener?.focus({ preventScroll: true });
          }}
        >
          <Dialog.Title className="mb-3 font-semibold text-base">{title}</Dialog.Title>
          {children}
          <div className="mt-4 flex justify-end gap-2">
            {actions}
            <Button onClick={onClose}>Close</Button>
          </div>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
