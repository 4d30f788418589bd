"use client";

import { useEffect, useState } from "react";
import { announce } from "./announce.ts";
import { copyText } from "./copy.ts";
import { CheckIcon, CopyIcon, WarningIcon } from "./icons.tsx";

interface Props {
  /** Copied exactly. */
  text: string;
  /** What is copied, for its name: `Copy ${label}`. */
  label: string;
  /** Words instead of an icon. */
  children?: string;
  className?: string;
}

const SHOWN_MS = 1500;

export function CopyButton({ text, label, children, className }: Props) {
  const [state, setState] = useState<"idle" | "copied" | "failed">("idle");
  useEffect(() => {
    if (state === "idle") return;
    const timer = setTimeout(() => setState("idle"), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [state]);
  const said = { idle: `Copy ${label}`, copied: `Copied ${label}`, failed: `Could not copy ${label}` }[state];
  const icon = { idle: <CopyIcon />, copied: <CheckIcon />, failed: <WarningIcon /> }[state];
  return (
    <button
      type="button"
      title={said}
      aria-label={said}
      className={className ?? (children ? "button" : "copy")}
      onClick={async () => {
        const copied = await copyText(text);
        setState(copied ? "copied" : "failed");
        announce(copied ? `Copied ${label}` : `Could not copy ${label}`);
      }}
    >
      {children ? { idle: children, copied: "Copied", failed: "Not copied" }[state] : icon}
    </button>
  );
}
