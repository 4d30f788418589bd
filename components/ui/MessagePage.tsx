import type { ReactNode } from "react";

/** A page that has only something to say, usually one notice. */
export function MessagePage({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div className="mx-auto max-w-2xl py-8" id="results">
      <h1 className="mb-4 font-semibold text-lg">{title}</h1>
      {children}
    </div>
  );
}
