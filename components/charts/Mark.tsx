import { type Href, Link } from "#components/Link.tsx";

export interface ChartMark {
  /** Index of the point. */
  at: number;
  text: string;
  href: Href;
}

interface Props extends Omit<ChartMark, "at"> {
  colour: string;
}

/** Names the point with the dot. The text is above the plot, where no line can pass. */
export const Mark = ({ text, href, colour }: Props) => (
  // On touch screens the link reaches into the plot: above it are controls.
  <div className="col-start-2 h-6 xl:h-4">
    <Link
      href={href}
      scroll
      className="relative z-1 flex w-fit max-w-full gap-x-1.5 text-text-2 text-xs/6 xl:-mt-2 xl:max-w-60 xl:pt-2 xl:text-xs/4 pointer-coarse:h-11"
    >
      <Dot colour={colour} className="mt-2 flex-none xl:mt-1" />
      <span className="truncate">
        {text} <span aria-hidden="true">→</span>
      </span>
    </Link>
  </div>
);

interface DotProps {
  colour: string;
  className: string;
  style?: { left: string; top: string };
}

export const Dot = ({ colour, className, style }: DotProps) => (
  <span
    aria-hidden="true"
    className={`pointer-events-none size-2 rounded-full forced-color-adjust-none ${className}`}
    style={{ ...style, backgroundColor: colour }}
  />
);
