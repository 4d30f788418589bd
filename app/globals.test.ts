import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";

const css = readFileSync(new URL("./globals.css", import.meta.url), "utf8");

type Theme = "light" | "dark";
const tokens = new Map<string, Record<Theme, string>>();
for (const [, name, light, dark] of css.matchAll(
  /--color-([\w-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\);/g,
)) {
  tokens.set(name!, { light: light!, dark: dark! });
}

/** WCAG 2: relative luminance of an sRGB colour. */
function luminance(hex: string): number {
  const channels = [1, 3, 5].map((at) => {
    const value = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * channels[0]! + 0.7152 * channels[1]! + 0.0722 * channels[2]!;
}

function contrast(one: string, other: string, theme: Theme): number {
  const [a, b] = [one, other].map((name) => luminance(tokens.get(name)![theme]));
  return (Math.max(a!, b!) + 0.05) / (Math.min(a!, b!) + 0.05);
}

describe.each(["light", "dark"] as const)("in the %s theme", (theme) => {
  test("a chip on a hovered row has another ground than the row, and is readable", () => {
    expect(css).toMatch(/tr\[data-row\][^{]*:hover \{\s*@apply bg-sunken;/);
    const [, ground] = /:hover > td \{\s*--color-sunken: var\(--color-([\w-]+)\)/.exec(css) ?? [];
    expect(tokens.get(ground!)?.[theme]).not.toBe(tokens.get("sunken")![theme]);
    expect(contrast("text-2", ground!, theme)).toBeGreaterThanOrEqual(4.5);
  });

  const grounds = ["bg", "surface", "sunken", "raised"];

  test.each(["text", "text-2", "text-3", "accent", "good", "bad", "warn"])(
    "%s reads on every ground",
    (token) => {
      for (const ground of grounds) expect(contrast(token, ground, theme)).toBeGreaterThanOrEqual(4.6);
    },
  );

  test("muted parts of a popover are not darker than its ground in the dark theme", () => {
    for (const name of ["raised", "edge"]) {
      const [ground, quiet] = ["surface", name].map((token) => luminance(tokens.get(token)![theme]));
      if (theme === "dark") expect(quiet).toBeGreaterThan(ground!);
      else expect(quiet).toBeLessThan(ground!);
    }
  });

  test("marked texts are readable on their own grounds", () => {
    expect(contrast("accent", "accent-bg", theme)).toBeGreaterThanOrEqual(4.6);
    expect(contrast("warn", "warn-bg", theme)).toBeGreaterThanOrEqual(4.6);
    expect(contrast("surface", "accent", theme)).toBeGreaterThanOrEqual(4.6);
  });

  test("borders of controls stand out from every ground", () => {
    for (const ground of grounds) expect(contrast("control", ground, theme)).toBeGreaterThanOrEqual(3.4);
  });

  test.each(["native", "1", "2", "3", "4", "5", "6", "7", "8", "9", "rest"])(
    "asset colour %s stands out from the page",
    (name) => {
      expect(contrast(`asset-${name}`, "bg", theme)).toBeGreaterThanOrEqual(3);
    },
  );
});
