import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { AppRouterContext } from "next/dist/shared/lib/app-router-context.shared-runtime";
import { createElement } from "react";
import { renderToString } from "react-dom/server";
import { expect, test } from "vitest";
import { readPreferences } from "#lib/client/preferences.ts";
import { chainStatus, endlessQuery, searchQuery } from "#lib/client/queries.ts";
import { readView } from "#lib/client/url-state.ts";
import { terms } from "#terms";
import { utxoList } from "./addresses/[address]/list.ts";
import { Providers } from "./providers.tsx";

const router = {} as NonNullable<React.ContextType<typeof AppRouterContext>>;
const view = readView(utxoList.fields, new URLSearchParams());

function Queries() {
  useQuery(chainStatus());
  useQuery(searchQuery("TIDE"));
  useInfiniteQuery(endlessQuery(utxoList, { address: "ckt1" }, view));
  return null;
}

test("a render on the server leaves no timer behind, which would keep its request in memory", () => {
  const before = process.getActiveResourcesInfo();
  const preferences = readPreferences(() => undefined);
  const children = createElement(Queries);
  const page = createElement(Providers, { words: terms.words, time: 0, preferences, closed: [], children });
  renderToString(createElement(AppRouterContext, { value: router }, page));
  expect(process.getActiveResourcesInfo()).toEqual(before);
});
