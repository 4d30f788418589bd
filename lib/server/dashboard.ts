/** What the dashboard asks the server for besides its pages and `/v0`. */
import type { ApiRequest, Reply } from "#lib/api/reply.ts";
import type { Service } from "#lib/api/service.ts";
import { answerChanges } from "#lib/dashboard/changes.ts";
import { answerHoldings } from "#lib/dashboard/holdings.ts";
import { answerLatestBlocks, answerMoved, answerVisits } from "#lib/dashboard/home.ts";
import { answerIcon, signInForIcons } from "#lib/dashboard/icons.ts";
import { sessionCaller } from "#lib/dashboard/page-data.ts";
import { answerFind } from "#lib/dashboard/search.ts";
import { answerSources } from "#lib/dashboard/sources.ts";
import { answerStatus } from "#lib/dashboard/status.ts";
import { answerVolume } from "#lib/dashboard/volume.ts";
import { READING } from "./api-handler.ts";
import { llmsFile, openApiFile, type PublicFile, publicFile } from "./public-files.ts";
import { answerSession } from "./session.ts";

export interface DashboardRoute {
  methods: readonly string[];
  /** Throws ApiError. */
  answer(service: Service, request: ApiRequest): Promise<Reply>;
}

const reading = (answer: DashboardRoute["answer"]): DashboardRoute => ({ methods: READING, answer });
const file = (made: PublicFile) => reading((_service, request) => publicFile(made, request));

/** By the first segments of their paths. */
const routes = {
  status: reading(answerStatus),
  changes: reading(answerChanges),
  holdings: reading(answerHoldings),
  sources: reading(answerSources),
  find: reading(answerFind),
  "latest-blocks": reading(answerLatestBlocks),
  moved: reading(answerMoved),
  visits: reading(answerVisits),
  volume: reading(answerVolume),
  session: { methods: [...READING, "POST", "DELETE"], answer: answerSession },
  "asset-icons": reading(icon),
  "openapi.json": file(openApiFile),
  "llms.txt": file(llmsFile),
};

type DashboardRouteName = keyof typeof routes;
export const dashboardRouteNames = Object.keys(routes) as DashboardRouteName[];

/**
 * The route at a path, below the base path and with each segment percent-encoded; null if there is none. Icons have one
 * more segment: the asset's id.
 */
export function dashboardRoute(path: string) {
  const [, first = "", assetId = "", ...more] = path.split("/");
  const name = dashboardRouteNames.find((each) => each === first);
  const isThere = (assetId !== "") === (name === "asset-icons") && more.length === 0;
  if (name === undefined || !isThere) return null;
  return { name, ...routes[name], params: { assetId: decodeURIComponent(assetId) } };
}

/** An asset's icon, for anyone who may read a page that shows it. */
async function icon(service: Service, request: ApiRequest): Promise<Reply> {
  if (!(await sessionCaller(service, request))) return signInForIcons();
  return answerIcon(service.store, request.params.assetId!, request.header("if-none-match") ?? null);
}
