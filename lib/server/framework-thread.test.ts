import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { EVENT_TIMEOUT } from "#lib/testing/timeouts.ts";

/** Runs these lines in a process with a FrameworkThread, whose thread exits at the first message. */
function run(lines: string) {
  const thread = `import { parentPort } from "node:worker_threads";
    parentPort.once("message", () => process.exit());
    parentPort.postMessage(null);`;
  const script = `import { FrameworkThread } from ${JSON.stringify(import.meta.resolve("./framework-thread.ts"))};
    const framework = await FrameworkThread.start(new URL(${JSON.stringify(`data:text/javascript,${encodeURIComponent(thread)}`)}));
    // Like a server, it never exits by itself.
    setInterval(() => {}, 1_000);
    ${lines}`;
  return promisify(execFile)(process.execPath, ["--input-type=module", "-e", script], {
    timeout: EVENT_TIMEOUT,
  });
}

test("a process ends when the thread that renders its pages does, and says why", async () => {
  await expect(run(`await framework.render("GET", "/", {});`)).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringContaining("The framework's thread has ended"),
  });
});

test("a process that closes the thread itself goes on", async () => {
  const { stdout } = await run(`await framework.close(); console.log("closed"); process.exit();`);
  expect(stdout).toBe("closed\n");
});

test("a thread says how much of its heap is used, and nothing once it has been closed", async () => {
  const { stdout } = await run(`const used = await framework.heapBytes();
    await framework.close();
    console.log(used > 1e6, await framework.heapBytes());
    process.exit();`);
  expect(stdout).toBe("true undefined\n");
});
