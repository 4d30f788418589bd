import "./globals.css";
import type { Metadata, Viewport } from "next";
import { cookies } from "next/headers";
import { connection } from "next/server";
import type { ReactNode } from "react";
import { ANNOUNCER_ID } from "#components/announce.ts";
import { Header } from "#components/Header.tsx";
import { PageLoading } from "#components/navigation.tsx";
import { PrintedUrl } from "#components/PrintedUrl.tsx";
import { Shortcuts } from "#components/Shortcuts.tsx";
import { buttonClass } from "#components/ui/Button.tsx";
import { getService } from "#lib/api/service.ts";
import { withBase } from "#lib/client/base-path.ts";
import { readPreferences } from "#lib/client/preferences.ts";
import { eventScope } from "#lib/contract/events.ts";
import { chainStatus } from "#lib/dashboard/status.ts";
import { terms } from "#terms";
import { currentCaller, isGuest, pageBase, siteUrl } from "./caller.ts";
import { closedTo } from "./closed-to.ts";
import { geistMono, inter } from "./fonts.ts";
import { Providers } from "./providers.tsx";

export async function generateMetadata(): Promise<Metadata> {
  return {
    // Link previews need absolute URLs.
    metadataBase: await pageBase(),
    title: { default: "Asset Query Service", template: "%s · Asset Query Service" },
    description: "What an address holds, output by output, and what moved in a block.",
    icons: { icon: { url: withBase("/icon.svg"), type: "image/svg+xml" } },
    referrer: "same-origin",
    formatDetection: { telephone: false, date: false, address: false, email: false },
  };
}

export const viewport: Viewport = { width: "device-width", initialScale: 1, colorScheme: "light dark" };

export default async function Layout({ children }: { children: ReactNode }) {
  // Render every page for its request: only then do its scripts carry the request's nonce.
  await connection();
  const jar = await cookies();
  const preferences = readPreferences((name) => jar.get(name)?.value);
  const caller = await currentCaller();
  const status = caller && (await chainStatus(await getService()));
  return (
    <html
      lang="en"
      className={`${inter.variable} ${geistMono.variable}`}
      data-theme={preferences.theme}
      data-density={preferences.density}
    >
      <body className="flex min-h-dvh flex-col">
        <Providers
          words={terms.words}
          time={Date.now()}
          preferences={preferences}
          closed={caller ? closedTo(caller.scopes) : []}
        >
          <a
            href="#results"
            className={buttonClass(
              { tone: "primary" },
              "print:hidden fixed top-2 left-2 z-50 -translate-y-20 focus:translate-y-0",
            )}
          >
            Skip to results
          </a>
          <PrintedUrl site={await siteUrl()} />
          <Header
            status={status}
            mayFollow={caller?.scopes.includes(eventScope(false)) ?? false}
            account={
              caller && {
                name: caller.name,
                hint: caller.hint,
                expiresAt: caller.expiresAt,
                isGuest: await isGuest(),
              }
            }
          />
          {/* The padding below leaves room for the news bar. */}
          <main className="mx-auto w-full max-w-[1304px] flex-1 px-4 pt-6 pb-20 sm:px-8 sm:pt-8">
            {children}
          </main>
          <Shortcuts />
          <PageLoading />
        </Providers>
        <div
          id={ANNOUNCER_ID}
          role="status"
          aria-live="polite"
          className="sr-only data-shown:not-sr-only data-shown:fixed data-shown:inset-x-0 data-shown:bottom-4 data-shown:z-50 data-shown:mx-auto data-shown:w-fit data-shown:rounded-lg data-shown:border data-shown:bg-surface data-shown:px-3 data-shown:py-2 data-shown:shadow-popover sm:data-shown:top-2 sm:data-shown:bottom-auto"
        />
      </body>
    </html>
  );
}
