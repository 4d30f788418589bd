import type { CSSProperties, Ref } from "react";

/** Height of a row that was never drawn. */
export const GUESSED_ROW_PX = 36;

/** Stands for rows that are not in the document, so that the page keeps its height. */
export function Spacer({ height, ref }: { height: number; ref?: Ref<HTMLTableRowElement> }) {
  const style: CSSProperties = { height: Math.max(height, 0), minHeight: 0, border: 0 };
  const none = { role: "presentation" };
  return <tr ref={ref} {...none} className="print:hidden" style={style} />;
}
