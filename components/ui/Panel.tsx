import type { ComponentPropsWithRef, ElementType } from "react";

type Props<Tag extends ElementType> = { as?: Tag } & Omit<ComponentPropsWithRef<Tag>, "as">;

/** A framed area of the page, by default a `div`. */
export function Panel<Tag extends ElementType = "div">({ as, className = "", ...rest }: Props<Tag>) {
  const Element: ElementType = as ?? "div";
  return <Element {...rest} className={`rounded-lg border bg-surface ${className}`} />;
}
