import { screen } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import { json, ownTime, pass, renderPart, setUpParts } from "#components/testing/parts.tsx";
import { ChangeBar } from "./ChangeBar.tsx";

setUpParts();

test("outputs that were created and spent since are news of the history, but not of the live outputs", async () => {
  ownTime();
  const tip = { height: 10, hash: "0x10" };
  const news = { kind: "touched", came: 0, left: 0, passed: 2, more: false };
  vi.stubGlobal("fetch", async (path: string) =>
    json(path === "/status" ? { network: "testnet", demo: false, tip: { ...tip, time: 0 } } : news),
  );
  const bar = (of: "outputs" | "history") => (
    <section aria-label={of}>
      <ChangeBar
        of={of}
        address="ckb1test"
        token=""
        read={[{ height: 9, hash: "0x09" }]}
        onReload={() => {}}
      />
    </section>
  );
  renderPart(
    <>
      {bar("outputs")}
      {bar("history")}
    </>,
  );
  await pass(100);
  expect(screen.getByRole("region", { name: "history" }).textContent).toContain("2 new cells, 2 spent");
  expect(screen.getByRole("region", { name: "outputs" }).textContent).toBe("");
});
