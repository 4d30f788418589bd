import { Notice, type NoticeProps } from "./Notice.tsx";

/** A page that has only one thing to say. */
export function MessagePage({ heading, ...notice }: NoticeProps & { heading: string }) {
  return (
    <div className="mx-auto max-w-2xl py-8" id="results">
      <h1 className="mb-4 font-semibold text-lg">{heading}</h1>
      <Notice {...notice} />
    </div>
  );
}
