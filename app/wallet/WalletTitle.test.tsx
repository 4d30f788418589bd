import { screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { renderPart, setUpParts } from "#components/testing/parts.tsx";
import { savedWallets } from "#lib/client/wallet.ts";
import { WalletTitle } from "./WalletTitle.tsx";

setUpParts();

test("a wallet that was kept with other forms of its addresses is found, and then has the canonical ones", async () => {
  savedWallets.write([{ name: "Cold", addresses: ["ckb1old", "ckb1two"] }]);
  renderPart(<WalletTitle addresses={["ckb1two", "ckb1new"]} given={["ckb1two", "ckb1old"]} />);
  expect(await screen.findByText("Cold")).toBeTruthy();
  expect(savedWallets.parse(savedWallets.read())).toEqual([
    { name: "Cold", addresses: ["ckb1two", "ckb1new"] },
  ]);
});
