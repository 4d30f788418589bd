import { getService } from "#lib/api/service.ts";
import { readiness } from "#lib/server/health.ts";
import { toResponse } from "#lib/server/web.ts";

export const dynamic = "force-dynamic";

export const GET = async () => toResponse(await readiness(getService()));
