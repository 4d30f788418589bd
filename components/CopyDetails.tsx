"use client";

import { failureDetails } from "#lib/client/failure.ts";
import { CopyButton } from "./CopyButton.tsx";

/** Copies what an operator needs to find the failure in the log. */
export function CopyDetails({ error }: { error: Error }) {
  return (
    <CopyButton text={() => failureDetails(error, window.location.pathname)} label="details of the failure">
      Copy details
    </CopyButton>
  );
}
