"use client";

import { DropdownMenu } from "radix-ui";
import { copyAndSay } from "#components/copy.ts";
import { MoreIcon } from "#components/icons.tsx";

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
        <button
          type="button"
          className="copy"
          tabIndex={tabIndex}
          aria-label={`Copy ${label}`}
          title={`Copy ${label}`}
        >
          <MoreIcon />
        </button>
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal container={document.querySelector("main")}>
        <DropdownMenu.Content
          align="end"
          sideOffset={4}
          collisionPadding={8}
          className="menu"
          aria-label={`Copy ${label}`}
        >
          {items.map(({ label: name, copy }) => (
            <DropdownMenu.Item
              key={name}
              className="menu-item"
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
