"use client";

import { Failure } from "#components/Failure.tsx";
import type { ChangeListState } from "./use-change-list.ts";

interface Props {
  query: ChangeListState["query"];
  error: Error;
  /** What failed, as the start of a sentence. */
  subject: string;
}

export function PageFailure({ query, error, subject }: Props) {
  return (
    <Failure
      bare
      error={error}
      subject={subject}
      retrying={query.isFetching}
      onRetry={() => void query.refetch()}
    />
  );
}
