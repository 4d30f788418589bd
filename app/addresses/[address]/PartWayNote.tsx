"use client";

import { Button } from "#components/ui/Button.tsx";

interface Props {
  loading: boolean;
  onEarlier: () => void;
  onRestart: () => void;
}

/** Above a list that was opened in the middle. */
export default function PartWayNote({ loading, onEarlier, onRestart }: Props) {
  return (
    <div className="mb-2 flex flex-wrap items-center gap-3 rounded-md bg-accent-bg px-3 py-2">
      Showing from the middle of the list.
      <Button disabled={loading} onClick={onEarlier}>
        {loading ? "Loading…" : "Load earlier rows"}
      </Button>
      <Button onClick={onRestart}>Start from the top</Button>
    </div>
  );
}
