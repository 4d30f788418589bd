"use client";

import { lazy, Suspense } from "react";

const LabelFiles = lazy(() => import("./LabelFiles.tsx"));

/** The labels of addresses as files. Only a page without a wallet shows them, so the page of a wallet does not load their code. */
export const Labels = () => (
  <Suspense>
    <LabelFiles />
  </Suspense>
);
