"use client";

import { Suspense } from "react";
import { lazyPart } from "#components/lazy-part.tsx";

const LabelFiles = lazyPart("The labels", () => import("./LabelFiles.tsx"));

/** The labels of addresses as files. Only a page without a wallet shows them, so the page of a wallet does not load their code. */
export const Labels = () => (
  <Suspense>
    <LabelFiles />
  </Suspense>
);
