import type { ComponentProps } from "react";
import { Notice } from "./Notice.tsx";

interface Props extends ComponentProps<typeof Notice> {
  heading: string;
}

/** A page that has only one thing to say. */
export function MessagePage({ heading, ...notice }: Props) {
  return (
    <div className="mx-auto max-w-2xl py-8" id="results">
      <h1 className="mb-4 font-bold text-2xl">{heading}</h1>
      <Notice {...notice} />
    </div>
  );
}
