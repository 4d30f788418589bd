import { expect, test } from "vitest";
import { skeleton } from "./look.ts";

test("texts that look alike have one skeleton", () => {
  expect(skeleton("RUЅD")).toBe(skeleton("rusd"));
  expect(skeleton("СКВ")).toBe(skeleton("CKB"));
  expect(skeleton("ＵＳＤ")).toBe(skeleton("USD"));
  expect(skeleton("Modem")).toBe(skeleton("Modern".replace("rn", "m")));
  expect(skeleton("BTC")).not.toBe(skeleton("ETC"));
});
