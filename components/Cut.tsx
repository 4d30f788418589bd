import type { CutText } from "#lib/client/format.ts";

interface Props {
  parts: CutText;
  title?: string;
  className?: string;
  /** Cuts more on narrow windows. */
  narrows?: boolean;
}

/** Number of characters at each end in narrow windows. */
const NARROW_HEAD = 6;
const NARROW_TAIL = 4;

/** Hides text by its size, so that a copied selection is complete. Printed texts are complete, too. */
const MIDDLE =
  "text-[0px]/0 break-all before:text-[13px] before:content-['…'] print:text-[1em]/[inherit] print:before:content-none";
const NARROW_MIDDLE = "max-[1024px]:text-[0px]/0 print:text-[1em]/[inherit]";

/** A long text without its middle. The title and copied selections are complete. */
export function Cut({ parts: { head, middle, tail }, title, className = "", narrows = false }: Props) {
  const more = narrows && middle !== "";
  return (
    <span
      className={`mono whitespace-nowrap print:break-all print:whitespace-normal ${className}`}
      title={title ?? head + middle + tail}
    >
      {more ? head.slice(0, NARROW_HEAD) : head}
      {more && <span className={NARROW_MIDDLE}>{head.slice(NARROW_HEAD)}</span>}
      {middle && (
        <span aria-hidden="true" className={MIDDLE}>
          {middle}
        </span>
      )}
      {more && <span className={NARROW_MIDDLE}>{tail.slice(0, -NARROW_TAIL)}</span>}
      {more ? tail.slice(-NARROW_TAIL) : tail}
    </span>
  );
}
