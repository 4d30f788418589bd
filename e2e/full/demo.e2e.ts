import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { scopes } from "#lib/contract/operation.ts";
import { listedTokens } from "#lib/queries/access-tokens.ts";
import { openStore } from "#lib/store/open.ts";
import { freePort } from "#lib/util/free-port.ts";
import { root } from "../sites.ts";
import { expect, test } from "../support.ts";

/** The tip according to the page's server. */
async function tipHeight(url: string, token: string): Promise<number> {
  const response = await fetch(`${url}/v0/blocks/tip/asset-changes`, {
    headers: { authorization: `Bearer ${token}` },
  });
  return Number(response.headers.get("x-tip-height"));
}

test("the demo lets guests read its pages, keeps producing blocks, and server and node end together", async () => {
  const folder = mkdtempSync(join(tmpdir(), "aqs-demo-"));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const demo = spawn(`${root}node_modules/.bin/node`, ["lib/cli/main.ts", "demo", "--serve"], {
    cwd: root,
    env: { ...process.env, DATABASE_URL: `sqlite:${folder}/demo.db`, PORT: String(port), HOST: "127.0.0.1" },
    stdio: ["ignore", "pipe", "ignore"],
  });
  try {
    let printed = "";
    demo.stdout.setEncoding("utf8").on("data", (text: string) => {
      printed += text;
    });
    await expect(() => expect(printed).toContain("Listening on")).toPass();
    const token = /Access token {2}(\S+)/.exec(printed)?.[1] ?? "";
    const guest = await fetch(url, { redirect: "manual" });
    expect([guest.status, await guest.text()]).toEqual([200, expect.stringContaining("Latest blocks")]);
    expect((await fetch(`${url}/v0/blocks/tip`)).status).toBe(401);
    const store = await openStore(`sqlite:${folder}/demo.db`);
    const issued = await store.query(listedTokens);
    await store.close();
    expect(issued.find(({ name }) => name === "guest")).toMatchObject({ scopes, ratePerMinute: 1_200 });
    const before = await tipHeight(url, token);
    expect(before).toBeGreaterThan(900);
    await expect(async () => expect(await tipHeight(url, token)).toBeGreaterThan(before)).toPass();
    demo.kill("SIGINT");
    expect(await once(demo, "exit")).toEqual([0, null]);
    await expect(fetch(url)).rejects.toThrow();
  } finally {
    // The server must also end if the test failed.
    if (demo.exitCode === null) {
      demo.kill("SIGTERM");
      await once(demo, "exit");
    }
    rmSync(folder, { recursive: true });
  }
});
