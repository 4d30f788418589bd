"use client";

import { type ReactNode, useEffect, useState } from "react";
import { copyAndSay } from "./copy.ts";
import { CheckIcon, CopyIcon, WarningIcon } from "./icons.tsx";
import { useRowTabIndex } from "./table/row-context.ts";
import { Button, type ButtonLook } from "./ui/Button.tsx";
import { IconButton } from "./ui/IconButton.tsx";

interface Props {
  /** A function if the text is known only in the browser. */
  text: string | (() => string);
  /** Names the copied text: `Copy ${label}`. */
  label: string;
  /** Text of the button, which is an icon by default. */
  children?: string;
  className?: string;
  shortcut?: string;
  sign?: ReactNode;
  tone?: ButtonLook["tone"];
}

const SHOWN_MS = 1500;
const STATES = {
  idle: { verb: "Copy", Icon: CopyIcon },
  copied: { verb: "Copied", Icon: CheckIcon },
  failed: { verb: "Could not copy", Icon: WarningIcon },
};

export function CopyButton({ text, label, children, className, shortcut, sign, tone }: Props) {
  const [state, setState] = useState<keyof typeof STATES>("idle");
  useEffect(() => {
    if (state === "idle") return;
    const timer = setTimeout(() => setState("idle"), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [state]);
  const tabIndex = useRowTabIndex();
  const { verb, Icon } = STATES[state];
  const title = `${verb} ${label}`;
  const name = children && state === "idle" && !title.startsWith(children) ? `${children}: ${title}` : title;
  const button = {
    title,
    "data-shortcut": shortcut,
    "aria-label": name,
    tabIndex,
    className,
    onClick: async () => {
      const copied = await copyAndSay(typeof text === "function" ? text() : text, label, false);
      setState(copied ? "copied" : "failed");
    },
  };
  if (children) {
    return (
      <Button {...button} tone={tone}>
        {sign} {state === "idle" ? children : verb}
      </Button>
    );
  }
  return (
    <IconButton {...button}>
      <Icon />
    </IconButton>
  );
}
