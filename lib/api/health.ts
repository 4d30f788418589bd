import type { Reply } from "./reply.ts";
import { getService } from "./service.ts";

function plain(status: number, value: object): Reply {
  const body = JSON.stringify(value);
  return {
    status,
    headers: {
      "Content-Type": "application/json; charset=utf-8",
      "Content-Length": String(Buffer.byteLength(body)),
      "Cache-Control": "no-store",
    },
    body,
  };
}

/** `GET /healthz`: the process is running. */
export function health(): Reply {
  return plain(200, { status: "ok" });
}

/** `GET /readyz`: the database can be read, too. Returns its tip. */
export async function readiness(): Promise<Reply> {
  try {
    const service = await getService();
    return plain(200, { status: "ready", tip: await service.store.tip() });
  } catch (error) {
    // The reason may name hosts and paths, so it goes to the log only.
    console.error(error);
    return plain(503, { status: "unavailable" });
  }
}
