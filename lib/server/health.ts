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

/** `GET /healthz`: the process runs. */
export function health(): WholeResponse {
  return plain(200, { status: "ok" });
}

/** `GET /readyz`: whether `/v0` can serve, see `Availability.check`. A stopping server is not ready. */
export async function readiness({ availability, stopping }: Service): Promise<WholeResponse> {
  try {
    if (stopping.signal.aborted) return plain(503, { status: "stopping" });
    const readiness = await availability.check();
    if (readiness.ready) return plain(200, { status: "ready", tip: readiness.tip });
    return plain(503, { status: "unavailable", reason: readiness.reason });
  } catch (error) {
    // The reason may name hosts and paths, so it is only logged. An outage of the database is logged already.
    if (!isUnavailable(error)) console.error(error);
    return plain(503, { status: "unavailable" });
  }
}
