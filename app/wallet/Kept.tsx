"use client";

import { Suspense } from "react";
import { lazyPart } from "#components/lazy-part.tsx";

const KeptParts = lazyPart("Wallets and labels", () => import("./KeptParts.tsx"));

/** The wallets and labels of this browser. A page with a wallet does not show them, so it does not load their code. */
export const Kept = () => (
  <Suspense>
    <KeptParts />
  </Suspense>
);
