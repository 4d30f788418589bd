import { fireEvent, screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { press, renderPart, setUpParts } from "#components/testing/parts.tsx";
import { savedWallets } from "#lib/client/wallet.ts";
import WalletEditor from "./WalletEditor.tsx";

setUpParts();

const [ONE, TWO] = ["q", "p"].map((last) => `ckt1${"q".repeat(60)}${last}`) as [string, string];
const field = (name: RegExp) => screen.getByRole("textbox", { name });

async function submit(addresses: string, name: string): Promise<void> {
  fireEvent.input(field(/^Addresses/), { target: { value: addresses } });
  fireEvent.input(field(/^Name/), { target: { value: name } });
  await press("button", "Show wallet");
}

test("a wallet is not kept twice, by its name or by its addresses, and the field at fault says why", async () => {
  const kept = [{ name: "Cold", addresses: [ONE, TWO] }];
  savedWallets.write(kept);
  renderPart(<WalletEditor addresses={[]} />);
  await submit(`${TWO} ${ONE}`, "Hot");
  expect(screen.getByRole("alert").textContent).toBe("This browser keeps these addresses as “Cold”.");
  expect(field(/^Addresses/).getAttribute("aria-describedby")).toBe(screen.getByRole("alert").id);
  await submit(ONE, "Cold");
  expect(screen.getByRole("alert").textContent).toBe("Another wallet in this browser has this name.");
  expect(field(/^Name/).getAttribute("aria-describedby")).toBe(screen.getByRole("alert").id);
  expect(field(/^Addresses/).getAttribute("aria-invalid")).toBe("false");
  expect(savedWallets.parse(savedWallets.read())).toEqual(kept);
});

test("after a wallet is forgotten, the focus is in the form", async () => {
  savedWallets.write([{ name: "Cold", addresses: [ONE] }]);
  renderPart(<WalletEditor addresses={[ONE]} />);
  await press("button", /^Forget/);
  expect(savedWallets.read()).toBeNull();
  expect(document.activeElement).toBe(field(/^Addresses/));
});
