"use client";

import { type ReactNode, useEffect, useLayoutEffect, useRef, useState } from "react";

/** Stays as high as its previous content was. `of` identifies the current content. */
export function KeepRoom({ of, children }: { of: string; children: ReactNode }) {
  const content = useRef<HTMLDivElement>(null);
  const height = useRef(0);
  const [least, setLeast] = useState(0);
  // This runs before the observer sees the new content.
  // biome-ignore lint/correctness/useExhaustiveDependencies: only another content changes the room
  useLayoutEffect(() => setLeast(height.current), [of]);
  useEffect(() => {
    const observer = new ResizeObserver(() => {
      height.current = content.current?.offsetHeight ?? 0;
    });
    observer.observe(content.current!);
    return () => observer.disconnect();
  }, []);
  return (
    <div style={{ minHeight: least }}>
      <div ref={content}>{children}</div>
    </div>
  );
}
