import { type Href, Link } from "#components/Link.tsx";
import { buttonClass } from "./Button.tsx";

interface Props {
  label: string;
  choices: readonly { href: Href; title: string; current: boolean }[];
  keepsFragment?: boolean;
}

/** A few alternatives as links, such as the ranges of a chart. */
export function Segments({ label, choices, keepsFragment }: Props) {
  return (
    <nav aria-label={label} className="flex flex-wrap gap-0.5 print:hidden">
      {choices.map(({ href, title, current }) => (
        <Link
          key={JSON.stringify(href)}
          href={href}
          scroll={false}
          keepsFragment={keepsFragment}
          aria-current={current ? "true" : undefined}
          className={buttonClass(
            { tone: "bare", size: "narrow" },
            "aria-[current]:bg-sunken aria-[current]:text-text",
          )}
        >
          {title}
        </Link>
      ))}
    </nav>
  );
}
