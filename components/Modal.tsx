"use client";

import { Dialog } from "radix-ui";
import { type ReactNode, useState } from "react";

interface Props {
  title: string;
  onClose: () => void;
  children: ReactNode;
  /** Beside the button that closes. */
  actions?: ReactNode;
}

/** A dialog that is open as long as it is there. Closing gives the focus back to what had it before. */
export function Modal({ title, onClose, children, actions }: Props) {
  const [opener] = useState(() => document.activeElement as HTMLElement | null);
  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Overlay className="overlay" />
        <Dialog.Content
          className="dialog"
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
            <button type="button" className="button" onClick={onClose}>
              Close
            </button>
          </div>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
