"use client";

import { DropdownMenu } from "radix-ui";
import { copyAndSay } from "#components/copy.ts";
import { MoreIcon } from "#components/icons.tsx";
import { IconButton } from "#components/ui/IconButton.tsx";

interface Props {
  label: string;
  items: {
    label: string;
    /** Copied when chosen. */
    copy: () => string;
  }[];
  tabIndex: number | undefined;
}

export function OpenCopyMenu({ label, items, tabIndex }: Props) {
  return (
    <DropdownMenu.Root defaultOpen modal={false}>
      <DropdownMenu.Trigger asChild>
        <IconButton tabIndex={tabIndex} aria-label={`Copy ${label}`} title={`Copy ${label}`}>
          <MoreIcon />
        </IconButton>
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal container={document.querySelector("main")}>
        <DropdownMenu.Content
          align="end"
          sideOffset={4}
          collisionPadding={8}
          className="z-60 min-w-50 rounded-md border border-control bg-surface p-1"
          aria-label={`Copy ${label}`}
        >
          {items.map(({ label: name, copy }) => (
            <DropdownMenu.Item
              key={name}
              className="cursor-default rounded-[4px] px-2 py-1.5 outline-hidden data-highlighted:bg-accent-bg data-highlighted:text-accent pointer-coarse:py-3"
              onSelect={() => void copyAndSay(copy(), name)}
            >
              {name}
            </DropdownMenu.Item>
          ))}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}
