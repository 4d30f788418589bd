import { scaleLinear } from "d3-scale";
import type { Level } from "./Axis.tsx";

/** Lines across, about so many. */
const LEVELS = 3;

/** Round amounts between two, by their places from 0 to 1; none if too close together to be told apart. */
export function levelsOf(from: number, to: number, level: (amount: number) => string): Level[] {
  const amounts = scaleLinear().domain([from, to]).ticks(LEVELS);
  const levels = amounts
    .filter((amount) => amount > from)
    .map((amount) => ({ at: (amount - from) / (to - from), text: level(amount) }));
  return new Set(levels.map(({ text }) => text)).size === levels.length ? levels : [];
}
