/** Routes for the dashboard besides its pages and `/v0`. */
import type { ApiRequest, ApiResponse } from "#lib/api/http-messages.ts";
import type { Service } from "#lib/api/service.ts";
import { handleAddressForms } from "#lib/dashboard/address-forms.ts";
import { handleChanges } from "#lib/dashboard/changes.ts";
import { handleHoldings } from "#lib/dashboard/holdings.ts";
import { handleLatestBlocks, handleMoved, handleVisits } from "#lib/dashboard/home.ts";
import { handleIcon, signInForIcons } from "#lib/dashboard/icons.ts";
import { sessionCaller } from "#lib/dashboard/page-data.ts";
import { handleFind } from "#lib/dashboard/search.ts";
import { handleSources } from "#lib/dashboard/sources.ts";
import { handleStatus } from "#lib/dashboard/status.ts";
import { handleVolume } from "#lib/dashboard/volume.ts";
import { READING } from "./api-handler.ts";
import { llmsFile, openApiFile, type PublicFile, publicFile } from "./public-files.ts";
import { handleSession } from "./session.ts";

export interface DashboardRoute {
  methods: readonly string[];
  handle(service: Service, request: ApiRequest): Promise<ApiResponse>;
}

const reading = (handle: DashboardRoute["handle"]): DashboardRoute => ({ methods: READING, handle });
const file = (content: PublicFile) => reading((_service, request) => publicFile(content, request));

const routes = {
  status: reading(handleStatus),
  changes: reading(handleChanges),
  holdings: reading(handleHoldings),
  sources: reading(handleSources),
  find: reading(handleFind),
  "latest-blocks": reading(handleLatestBlocks),
  moved: reading(handleMoved),
  visits: reading(handleVisits),
  volume: reading(handleVolume),
  "address-forms": reading(handleAddressForms),
  session: { methods: [...READING, "POST", "DELETE"], handle: handleSession },
  "asset-icons": reading(icon),
  "openapi.json": file(openApiFile),
  "llms.txt": file(llmsFile),
};

type DashboardRouteName = keyof typeof routes;
export const dashboardRouteNames = Object.keys(routes) as DashboardRouteName[];

/** The route at an encoded path; null if there is none. Icons have one more segment, the asset's id. */
export function dashboardRoute(path: string) {
  const [, first = "", assetId = "", ...more] = path.split("/");
  const name = dashboardRouteNames.find((each) => each === first);
  const isThere = (assetId !== "") === (name === "asset-icons") && more.length === 0;
  if (name === undefined || !isThere) return null;
  return { name, ...routes[name], params: { assetId: decodeURIComponent(assetId) } };
}

async function icon(service: Service, request: ApiRequest): Promise<ApiResponse> {
  if (!(await sessionCaller(service, request))) return signInForIcons();
  return handleIcon(service.store, request.params.assetId!, request.header("if-none-match") ?? null);
}
