import { scaleLinear } from "d3-scale";
import { line } from "d3-shape";
import { axisOf, share } from "./plot.ts";

const WIDTH = 72;
const HEIGHT = 20;

/** A small line of an amount over time. It is decorative: the figures beside it say where it ends. */
export function Sparkline({ amounts }: { amounts: readonly bigint[] }) {
  const { floor, top } = axisOf(amounts);
  const x = scaleLinear()
    .domain([0, Math.max(amounts.length - 1, 1)])
    .range([1, WIDTH - 1]);
  const y = scaleLinear().range([HEIGHT - 2, 2]);
  const path = line<bigint>(
    (_, at) => x(at),
    (amount) => y(share(amount - floor, top - floor)),
  )(amounts);
  return (
    <svg aria-hidden="true" width={WIDTH} height={HEIGHT} className="overflow-visible">
      <path
        d={path ?? ""}
        fill="none"
        stroke="currentColor"
        strokeWidth="1.5"
        strokeLinejoin="round"
        strokeLinecap="round"
      />
    </svg>
  );
}
