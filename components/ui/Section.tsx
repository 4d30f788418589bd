import { type ReactNode, useId } from "react";

interface Props {
  title: ReactNode;
  aside?: ReactNode;
  className?: string;
  children: ReactNode;
}

export function Section({ title, aside, className = "", children }: Props) {
  const id = useId();
  return (
    <section aria-labelledby={id} className={className}>
      <div className="mb-2 flex min-h-8 flex-wrap items-center justify-between gap-x-4 gap-y-1">
        <h2 id={id} className="font-semibold text-base">
          {title}
        </h2>
        {aside}
      </div>
      {children}
    </section>
  );
}
