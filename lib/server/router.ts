import { decodePart } from "#lib/client/safe-path.ts";
import { events } from "#lib/contract/events.ts";
import { type OperationName, operations } from "#lib/questions/list.ts";

/** An operation or the stream of events, and its path parameters, percent-decoded. */
export interface Route {
  name: OperationName | "events";
  path: string;
  params: Record<string, string>;
}

const declared = [
  ...Object.entries(operations).map(([name, { contract }]) => ({ name, path: contract.path })),
  { name: "events", path: events.path },
];
const routes = declared.map(({ name, path }) => ({
  name: name as Route["name"],
  path,
  segments: path.split("/").slice(1),
}));

export function route(pathname: string): Route | null {
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
