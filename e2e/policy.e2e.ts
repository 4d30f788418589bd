import { expect, test } from "./support.ts";

test("every page runs only the scripts that its policy names", async ({ page, facts }) => {
  const nonces = new Set<string>();
  const { busyAddress, busyBlockHash } = facts.notable;
  for (const path of ["/", `/addresses/${busyAddress}`, `/blocks/${busyBlockHash}`, "/sign-in"]) {
    const response = await page.goto(path);
    const policy = response?.headers()["content-security-policy"] ?? "";
    const [, nonce] = /script-src [^;]*'nonce-([^']+)'/.exec(policy) ?? [];
    expect(nonce, path).toBeTruthy();
    expect(policy).not.toMatch(/script-src [^;]*'unsafe-(inline|eval)'/);
    expect(policy).toContain("object-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(response?.headers()["x-content-type-options"]).toBe("nosniff");
    nonces.add(nonce!);
    // These scripts are in the document. The same policy limits later ones to our own origin.
    const scripts = (await response!.text()).match(/<script\b[^>]*>/g) ?? [];
    expect(scripts.length).toBeGreaterThan(0);
    expect(scripts.filter((script) => !script.includes(` nonce="${nonce}"`))).toEqual([]);
  }
  expect(nonces.size).toBe(4);
});

test("a script that is not part of the page does not run", async ({ page, context }) => {
  context.removeAllListeners("console");
  await page.goto("/");
  const ran = await page.evaluate(async () => {
    const violation = new Promise<string>((resolve) => {
      document.addEventListener("securitypolicyviolation", ({ violatedDirective }) => {
        // Some versions of Chromium also report the picture, and report it first.
        if (violatedDirective !== "img-src") resolve(violatedDirective);
      });
    });
    const holder = document.createElement("div");
    holder.innerHTML = '<img src="data:," onerror="window.injected = true">';
    document.body.append(holder);
    return { violated: await violation, injected: "injected" in window };
  });
  expect(ran).toEqual({ violated: expect.stringMatching(/^script-src/), injected: false });
});
