import { health } from "#lib/server/health.ts";
import { toResponse } from "#lib/server/web.ts";

export const dynamic = "force-dynamic";

export const GET = () => toResponse(health());
