import type { ComponentProps } from "react";
import { Notice } from "./Notice.tsx";

export function MessagePage({ heading, ...notice }: ComponentProps<typeof Notice> & { heading: string }) {
  return (
    <div className="mx-auto py-6 lg:w-140" id="results">
      <h1 className="mb-2 font-bold text-2xl">{heading}</h1>
      <Notice bare {...notice} />
    </div>
  );
}
