import type { ReactNode } from "react";

interface Props {
  tone: "neutral" | "warn" | "bad";
  title: ReactNode;
  children?: ReactNode;
  /** `alert` interrupts a screen reader: for what the reader must know now. */
  role?: "alert" | "status";
  actions?: ReactNode;
  /** Inside a frame of something else. */
  bare?: boolean;
}

export function Notice({ tone, title, children, role, actions, bare = false }: Props) {
  return (
    <div role={role} className={`notice notice-${tone} ${bare ? "notice-bare" : ""}`}>
      <p>{title}</p>
      {children && <div className="words">{children}</div>}
      {actions && <div className="actions">{actions}</div>}
    </div>
  );
}
