"use client";

import "./globals.css";
import ErrorPage from "./error.tsx";

/** Where even the frame around the pages failed. */
export default function GlobalError(props: { error: Error & { digest?: string }; retry: () => void }) {
  return (
    <html lang="en">
      <body>
        <title>This page could not be made</title>
        <main className="px-4">
          <ErrorPage {...props} />
        </main>
      </body>
    </html>
  );
}
