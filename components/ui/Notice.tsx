import type { ReactNode } from "react";

interface Props {
  tone?: "neutral" | "warn" | "bad";
  title: ReactNode;
  children?: ReactNode;
  role?: "alert";
  actions?: ReactNode;
  bare?: boolean;
  className?: string;
}

const FRAMES = { neutral: "bg-sunken", warn: "bg-warn-bg", bad: "border border-bad" };
const TITLES = { neutral: "", warn: "text-warn", bad: "text-bad" };

export function Notice(props: Props) {
  const { tone = "neutral", title, children, role, actions, bare = false, className = "" } = props;
  const frame = bare ? "py-1" : `rounded-lg px-4 py-3 ${FRAMES[tone]}`;
  return (
    <div role={role} className={`${frame} ${className}`}>
      <p className={`font-semibold wrap-anywhere ${TITLES[tone]}`}>{title}</p>
      {children && <div className="mt-1 max-w-[65ch] text-text-2 wrap-anywhere">{children}</div>}
      {actions && <div className="mt-3 flex flex-wrap gap-2">{actions}</div>}
    </div>
  );
}
