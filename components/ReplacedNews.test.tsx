import { screen } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import { ReplacedNews } from "./ReplacedNews.tsx";
import { failing, json, ownTime, pass, renderPart, setUpParts } from "./testing/parts.tsx";

setUpParts();

test("a block that is replaced while its page is open is reported, and stays so if a later request fails", async () => {
  ownTime();
  let height = 10;
  let answer = () => json({ kind: "canonical", next: null });
  vi.stubGlobal("fetch", async (path: string) =>
    path === "/status"
      ? json({ network: "testnet", demo: false, tip: { height, hash: `0x${height}`, time: 0 } })
      : answer(),
  );
  renderPart(<ReplacedNews block={{ height: 9, hash: "0x09" }} of="with which this range ends" />);
  await pass(1_000);
  expect(screen.queryByRole("status")).toBeNull();
  answer = () => json({ kind: "replaced", by: null });
  height = 11;
  await pass(6_000);
  const said = "The chain changed: block 9, with which this range ends, was replaced";
  expect(screen.getByRole("status").textContent).toContain(said);
  answer = () => failing("BAD_REQUEST");
  height = 12;
  await pass(6_000);
  expect(screen.getByRole("status").textContent).toContain(said);
});
