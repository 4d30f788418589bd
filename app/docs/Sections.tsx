"use client";

import { useEffect, useState } from "react";

/** A section is current once its heading is this close to the top of the window. */
const READING_LINE_PX = 120;

export function Sections({ titles }: { titles: Record<string, string> }) {
  const [current, setCurrent] = useState("");
  useEffect(() => {
    const look = () => setCurrent(sectionRead(Object.keys(titles)));
    look();
    window.addEventListener("scroll", look, { passive: true });
    window.addEventListener("hashchange", look);
    return () => {
      window.removeEventListener("scroll", look);
      window.removeEventListener("hashchange", look);
    };
  }, [titles]);
  return (
    <nav
      aria-label="Sections"
      className="print:hidden mb-4 min-w-0 max-md:scrolls-sideways md:overflow-y-auto md:sticky md:top-16 md:max-h-[calc(100dvh-64px)] md:self-start"
    >
      <ul className="flex gap-x-4 max-md:whitespace-nowrap md:block">
        {Object.entries(titles).map(([id, title]) => (
          <li key={id}>
            <a
              href={`#${id}`}
              aria-current={id === current ? "true" : undefined}
              className="inline-block py-1 text-text-2 -outline-offset-2 max-md:py-3 aria-[current]:font-semibold aria-[current]:text-text"
            >
              {title}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

function sectionRead(ids: string[]): string {
  const topOf = (id: string) => document.getElementById(id)?.getBoundingClientRect().top ?? 0;
  const target = window.location.hash.slice(1);
  const left = document.documentElement.scrollHeight - window.innerHeight - window.scrollY;
  // The last sections cannot reach the top of the window.
  if (left < 1) return ids.includes(target) && topOf(target) > 0 ? target : (ids.at(-1) ?? "");
  return ids.findLast((id) => topOf(id) <= READING_LINE_PX) ?? "";
}
