import type { ComponentProps } from "react";
import { Notice } from "./Notice.tsx";

interface Props extends ComponentProps<typeof Notice> {
  heading: string;
}

/** A page with a single message. */
export function MessagePage({ heading, ...notice }: Props) {
  return (
    <div className="mx-auto py-6 lg:w-140" id="results">
      <h1 className="mb-2 font-bold text-2xl">{heading}</h1>
      <Notice bare {...notice} />
    </div>
  );
}
