import { expect, test } from "vitest";
import { terms } from "#terms";
import { assetColour, coloursFor, REST_COLOUR } from "./asset-colour.ts";

const ids = [terms.native.id, ...Array.from({ length: 40 }, (_, at) => `0x${at}`)];

test("the eight largest assets of a drawing have different colours, and all others are grey", () => {
  const colours = ids.map(coloursFor(ids));
  expect(new Set(colours.slice(0, 8)).size).toBe(8);
  expect(colours).not.toContain(undefined);
  expect(new Set(colours.slice(8))).toEqual(new Set([REST_COLOUR]));
});

test("an asset has its own colour unless a larger one has it", () => {
  const [first, ...others] = ids;
  const double = others.find((id) => assetColour(id) === assetColour(others[0]!) && id !== others[0])!;
  const single = others.find((id) => assetColour(id) !== assetColour(double))!;
  const drawn = [first!, others[0]!, double, single];
  const colours = drawn.map(coloursFor(drawn));
  const own = drawn.map(assetColour);
  expect([colours[0], colours[1], colours[3]]).toEqual([own[0], own[1], own[3]]);
  expect(own).not.toContain(colours[2]);
});
