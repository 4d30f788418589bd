import type { CutText } from "#lib/client/format.ts";

interface Props {
  parts: CutText;
  title?: string;
  className?: string;
  /** Cut more on narrow screens. */
  narrows?: boolean;
}

/** Characters that stay at each end on a narrow screen. */
const NARROW_HEAD = 6;
const NARROW_TAIL = 4;

/** A long text cut in its middle for the eye alone: title, selection and screen readers have the whole. */
export function Cut({ parts: { head, middle, tail }, title, className = "", narrows = false }: Props) {
  const more = narrows && middle !== "";
  return (
    <span className={`mono whitespace-nowrap ${className}`} title={title ?? head + middle + tail}>
      {more ? head.slice(0, NARROW_HEAD) : head}
      {more && <span className="cut-narrow">{head.slice(NARROW_HEAD)}</span>}
      {middle && <span className="cut-middle">{middle}</span>}
      {more && <span className="cut-narrow">{tail.slice(0, -NARROW_TAIL)}</span>}
      {more ? tail.slice(-NARROW_TAIL) : tail}
    </span>
  );
}
