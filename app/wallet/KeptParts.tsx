"use client";

import LabelFiles from "./LabelFiles.tsx";
import { SavedWallets } from "./SavedWallets.tsx";

export default function KeptParts() {
  return (
    <>
      <SavedWallets />
      <LabelFiles />
    </>
  );
}
