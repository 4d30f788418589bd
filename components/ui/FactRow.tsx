import type { ReactNode } from "react";

interface Props {
  name: string;
  className?: string;
  children: ReactNode;
}

/** A name and a value in a `FactList`. */
export const FactRow = ({ name, className, children }: Props) => (
  <>
    <dt>{name}</dt>
    <dd className={className}>{children}</dd>
  </>
);
