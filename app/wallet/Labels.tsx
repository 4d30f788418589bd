"use client";

import { lazy, Suspense } from "react";

const NotLoaded = () => <p>The labels could not be loaded. Reload the page and try again.</p>;
const LabelFiles = lazy(() => import("./LabelFiles.tsx").catch(() => ({ default: NotLoaded })));

/** The labels of addresses as files. Only a page without a wallet shows them, so the page of a wallet does not load their code. */
export const Labels = () => (
  <Suspense>
    <LabelFiles />
  </Suspense>
);
