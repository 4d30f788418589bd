import { events } from "#lib/contract/events.ts";
import { type OperationName, operations } from "#lib/queries/operations.ts";
import { decodePart } from "#lib/util/paths.ts";

export type ApiRouteName = OperationName | "events";

export interface ApiRoute {
  name: ApiRouteName;
  path: string;
  params: Record<string, string>;
}

/** The API's paths by name. Both the front server and the framework's route files serve this table. */
export const apiPaths = {
  ...Object.fromEntries(Object.entries(operations).map(([name, { contract }]) => [name, contract.path])),
  events: events.path,
} as Record<ApiRouteName, string>;

const routes = Object.entries(apiPaths).map(([name, path]) => ({
  name: name as ApiRouteName,
  path,
  segments: path.split("/").slice(1),
}));

export function matchRoute(pathname: string): ApiRoute | null {
  const parts = pathname.split("/").slice(1);
  for (const { name, path, segments } of routes) {
    if (segments.length !== parts.length) continue;
    const params: Record<string, string> = {};
    const fits = segments.every((segment, i) => {
      if (!segment.startsWith("{")) return segment === parts[i];
      params[segment.slice(1, -1)] = decodePart(parts[i]!);
      return parts[i] !== "";
    });
    if (fits) return { name, path, params };
  }
  return null;
}
