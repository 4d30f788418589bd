import { describe, expect, test } from "vitest";
import { identicon } from "./identicon.ts";

const id = `0x${"ab".repeat(32)}`;

describe("an asset's pattern", () => {
  test("is always the same, mirrored, and within the 5×5 grid", () => {
    const squares = identicon(id);
    expect(identicon(id)).toEqual(squares);
    for (const [column, row] of squares) {
      expect(squares).toContainEqual([4 - column, row]);
      expect(column >= 0 && column < 5 && row >= 0 && row < 5).toBe(true);
    }
  });

  test("differs if only the last digit of the id differs", () => {
    const other = `${id.slice(0, -1)}c`;
    expect(identicon(other)).not.toEqual(identicon(id));
  });
});
