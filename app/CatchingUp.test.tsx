import { screen } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import { json, ownTime, pass, renderPart, setUpParts } from "#components/testing/parts.tsx";
import type { ChainStatus } from "#lib/client/status.ts";
import { CatchingUp } from "./CatchingUp.tsx";

setUpParts();

test("the speed and the time left disappear once the tip no longer rises", async () => {
  ownTime();
  const statusAt = (height: number) =>
    ({
      network: null,
      demo: false,
      tip: { height, hash: `0x${height}`, time: height * 10_000 },
    }) as ChainStatus;
  let height = 100;
  vi.stubGlobal("fetch", async () => json(statusAt(height)));
  renderPart(<CatchingUp initial={statusAt(height)} />);
  for (let polls = 0; polls < 4; polls += 1) {
    height += 100;
    await pass(15_000);
  }
  expect(screen.getByText("Catching up with the chain")).toBeTruthy();
  expect(screen.getByText(/blocks a minute, about .* left/)).toBeTruthy();
  await pass(180_000);
  expect(screen.getByText("The index is behind the chain")).toBeTruthy();
  expect(screen.queryByText(/a minute/)).toBeNull();
});
