import { fireEvent, screen } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import { json, renderPart, setUpParts } from "#components/testing/parts.tsx";
import { storedLabels } from "#lib/client/labels.ts";
import LabelFiles from "./LabelFiles.tsx";

setUpParts();

const ADDRESS =
  "ckt1qzda0cr08m85hc8jlnfp3zer7xulejywt49kt2rr0vthywaa50xwsqdweufjpwk2rpmmjux3xjjkun7y3cjjenq0z62pa";

test("a chosen file is read as one of the served network, and the page says what was left out", async () => {
  vi.stubGlobal("fetch", async () => json({ network: "testnet", demo: false, tip: null }));
  renderPart(<LabelFiles />);
  const lines = [ADDRESS, ADDRESS.replace("ckt1", "ckb1")].map((ref) =>
    JSON.stringify({ type: "addr", ref, label: "Alice" }),
  );
  const file = new File([lines.join("\n")], "labels.jsonl");
  fireEvent.change(screen.getByLabelText("Import labels"), { target: { files: [file] } });
  const said = "1 label read. Left out: 1 line without an address of this network.";
  expect(await screen.findByText(said)).toBeTruthy();
  expect(storedLabels.parse(storedLabels.read())).toEqual([{ ref: ADDRESS, label: "Alice" }]);
});

test("a file that was chosen before the page could answer is read, too", async () => {
  vi.stubGlobal("fetch", async () => json({ network: "testnet", demo: false, tip: null }));
  const file = new File([JSON.stringify({ type: "addr", ref: ADDRESS, label: "Bob" })], "labels.jsonl");
  const files = vi.spyOn(HTMLInputElement.prototype, "files", "get");
  files.mockReturnValueOnce([file] as unknown as FileList);
  renderPart(<LabelFiles />);
  expect(await screen.findByText("1 label read.")).toBeTruthy();
  files.mockRestore();
});
