import type { Metadata } from "next";
import { Link } from "#components/Link.tsx";
import { Notice } from "#components/Notice.tsx";

export const metadata: Metadata = { title: "Page not found" };

export default function NotFound() {
  return (
    <div className="mx-auto max-w-2xl py-8" id="results">
      <h1 className="mb-4 font-semibold text-lg">Page not found</h1>
      <Notice
        tone="neutral"
        title="There is no page at this address"
        actions={
          <Link href="/" className="button">
            Look up an address or a block
          </Link>
        }
      >
        Addresses are under <span className="mono">/addresses/…</span>, blocks under{" "}
        <span className="mono">/blocks/…</span>
      </Notice>
    </div>
  );
}
