import { once } from "node:events";
import { createServer } from "node:net";

/** A port that is currently free, for a program that cannot choose one itself. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Throws an Error that says what to do if a port cannot be used. Those of settings that are unset are skipped. */
export async function requirePorts(host: string, ports: Record<string, number | undefined>): Promise<void> {
  for (const [name, port] of Object.entries(ports)) {
    if (port === undefined) continue;
    const server = createServer().listen(port, host);
    await once(server, "listening").catch(({ code }: NodeJS.ErrnoException) => {
      const isTaken = code === "EADDRINUSE";
      const why = isTaken ? "is in use: end the program that listens there, or" : `cannot be used (${code}):`;
      throw new Error(`Port ${port} of ${host} ${why} set ${name}${isTaken ? "" : " or HOST"}`);
    });
    await new Promise((resolve) => server.close(resolve));
  }
}
