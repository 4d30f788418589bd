"use client";

import { Segments } from "#components/ui/Segments.tsx";
import { usePath } from "#components/url-state.ts";
import { changeParameters } from "#lib/client/url-state.ts";

/** Chooses between assets and tags. The links keep what the reader has filtered since the page was rendered. */
export function ShareChoice({ isByTag }: { isByTag: boolean }) {
  const path = usePath();
  const choices = [
    { href: changeParameters(path, { shares: "" }), title: "By asset", current: !isByTag },
    { href: changeParameters(path, { shares: "tags" }), title: "By tag", current: isByTag },
  ];
  return <Segments label="Shares" choices={choices} />;
}
