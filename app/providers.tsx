"use client";

import { QueryClient, QueryClientProvider, timeoutManager } from "@tanstack/react-query";
import { NuqsAdapter } from "nuqs/adapters/next/app";
import { type ReactNode, useState } from "react";
import { ClosedPages } from "#components/closed-pages.ts";
import { LabelsProvider } from "#components/labels.tsx";
import { PreferencesProvider } from "#components/Preferences.tsx";
import { readServerTime } from "#lib/client/clock.ts";
import type { Preferences } from "#lib/client/preferences.ts";
import { retryDelay, shouldRetry } from "#lib/client/queries.ts";
import { provideTerms } from "#lib/client/terms.ts";
import type { ChainWords } from "#lib/contract/chain.ts";

// A render on the server needs no timers, and a pending one would keep the whole request in memory.
if (typeof window === "undefined") {
  timeoutManager.setTimeoutProvider({
    setTimeout: () => 0,
    clearTimeout() {},
    setInterval: () => 0,
    clearInterval() {},
  });
}

interface Props {
  words: ChainWords;
  /** The time at which the server made the page, in milliseconds since the Unix epoch. */
  time: number;
  preferences: Preferences;
  /** How the paths begin that the reader may not open. */
  closed: readonly string[];
  children: ReactNode;
}

export function Providers({ words, time, preferences, closed, children }: Props) {
  provideTerms(words);
  useState(() => {
    if (typeof window !== "undefined") readServerTime(time);
  });
  // One client per render, so that the server never shows a reader another's data.
  const [client] = useState(
    () =>
      new QueryClient({
        defaultOptions: {
          queries: { retry: shouldRetry, retryDelay, refetchOnWindowFocus: false, networkMode: "always" },
        },
      }),
  );
  return (
    <QueryClientProvider client={client}>
      <NuqsAdapter>
        <PreferencesProvider initial={preferences}>
          <LabelsProvider>
            <ClosedPages value={closed}>{children}</ClosedPages>
          </LabelsProvider>
        </PreferencesProvider>
      </NuqsAdapter>
    </QueryClientProvider>
  );
}
