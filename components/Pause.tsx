"use client";

import { type ReactNode, useEffect, useState } from "react";
import { failureText } from "#lib/client/failure.ts";
import { retryDelay } from "#lib/client/queries.ts";
import { announce } from "./announce.ts";

const SECOND_MS = 1000;

export interface PauseProps {
  error: Error;
  /** Failures in a row, including this one. */
  failures: number;
}

/** Why a request failed, and the seconds until it is sent again. */
export default function Pause({ error, failures }: PauseProps): ReactNode {
  const { title } = failureText(error);
  const [left, setLeft] = useState(() => retryDelay(failures - 1, error));
  useEffect(() => {
    const end = Date.now() + retryDelay(failures - 1, error);
    const tick = () => setLeft(end - Date.now());
    tick();
    const timer = setInterval(tick, SECOND_MS);
    return () => clearInterval(timer);
  }, [error, failures]);
  // Announced once: a number every second is noise.
  useEffect(() => announce(`${title}, continuing automatically`), [title]);
  const seconds = Math.ceil(left / SECOND_MS);
  return seconds > 0 ? `${title}, continuing in ${seconds} s` : `${title}, retrying…`;
}
