import type { ApiResponse } from "#lib/api/http-messages.ts";
import type { Service } from "#lib/api/service.ts";
import { isUnavailable } from "#lib/store/errors.ts";

type WholeResponse = ApiResponse & { body: string };

function plain(status: number, value: object): WholeResponse {
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
export function health(): WholeResponse {
  return plain(200, { status: "ok" });
}

/** `GET /readyz`: whether `/v0` can answer, see `Availability.check`. A server that stops is not ready. */
export async function readiness({ availability, stopping }: Service): Promise<WholeResponse> {
  try {
    if (stopping.signal.aborted) return plain(503, { status: "stopping" });
    const readiness = await availability.check();
    if (readiness.ready) return plain(200, { status: "ready", tip: readiness.tip });
    return plain(503, { status: "unavailable", reason: readiness.reason });
  } catch (error) {
    // The reason may name hosts and paths, so it goes to the log only; a database that is away has its own line there.
    if (!isUnavailable(error)) console.error(error);
    return plain(503, { status: "unavailable" });
  }
}
