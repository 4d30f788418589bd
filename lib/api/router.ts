import { endpoints } from "#lib/contract/endpoints.ts";
import { listAddressUtxos, listBlockAssetChanges, type Operation } from "./operations.ts";

const operations: Record<keyof typeof endpoints, Operation> = {
  addressUtxos: listAddressUtxos,
  blockAssetChanges: listBlockAssetChanges,
};

const routes = Object.entries(endpoints).map(([name, endpoint]) => ({
  segments: endpoint.path.split("/").slice(1),
  operation: operations[name as keyof typeof endpoints],
}));

/** The operation at a path, with its parameters percent-decoded; null where there is none. */
export function route(pathname: string): { operation: Operation; params: Record<string, string> } | null {
  const parts = pathname.split("/").slice(1);
  for (const { segments, operation } of routes) {
    if (segments.length !== parts.length) continue;
    const params: Record<string, string> = {};
    const fits = segments.every((segment, i) => {
      if (!segment.startsWith("{")) return segment === parts[i];
      params[segment.slice(1, -1)] = decode(parts[i]!);
      return parts[i] !== "";
    });
    if (fits) return { operation, params };
  }
  return null;
}

/** A segment whose percent-encoding is broken stays as it is, and fails as the parameter it is meant to be. */
function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
