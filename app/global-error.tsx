"use client";

import "./globals.css";
import ErrorPage, { type ErrorInfo } from "./error.tsx";

/** Shown if the layout around the pages fails. */
export default function GlobalError(props: ErrorInfo) {
  return (
    <html lang="en">
      <body>
        <title>This page could not be loaded</title>
        <main className="px-4">
          <ErrorPage {...props} />
        </main>
      </body>
    </html>
  );
}
