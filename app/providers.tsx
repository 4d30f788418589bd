"use client";

import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { NuqsAdapter } from "nuqs/adapters/next/app";
import { type ReactNode, useState } from "react";
import { PreferencesProvider } from "#components/Preferences.tsx";
import type { Preferences } from "#lib/client/preferences.ts";
import { retryDelay, shouldRetry } from "#lib/client/queries.ts";

export function Providers({ preferences, children }: { preferences: Preferences; children: ReactNode }) {
  // The server makes one for each render, so that no reader sees another's data.
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
        <PreferencesProvider initial={preferences}>{children}</PreferencesProvider>
      </NuqsAdapter>
    </QueryClientProvider>
  );
}
