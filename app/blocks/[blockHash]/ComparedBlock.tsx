"use client";

import { lazy, Suspense } from "react";
import { Skeleton } from "#components/ui/Skeleton.tsx";
import type { ShownComparison } from "./ComparisonPanel.tsx";

const ComparisonPanel = lazy(() => import("./ComparisonPanel.tsx"));

/** The code of a comparison comes with the comparison. */
export function ComparedBlock(props: ShownComparison) {
  return (
    <Suspense fallback={<Skeleton className="mb-4 w-1/2" />}>
      <ComparisonPanel {...props} />
    </Suspense>
  );
}
