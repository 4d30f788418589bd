import { readiness } from "#lib/api/health.ts";
import { toResponse } from "#lib/api/route.ts";
import { getService } from "#lib/api/service.ts";

export const dynamic = "force-dynamic";

export const GET = async () => toResponse(await readiness(getService()));
