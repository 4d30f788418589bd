import type { Metadata } from "next";
import { Link } from "#components/Link.tsx";
import { buttonClass } from "#components/ui/Button.tsx";
import { MessagePage } from "#components/ui/MessagePage.tsx";
import { Notice } from "#components/ui/Notice.tsx";

export const metadata: Metadata = { title: "Page not found" };

export default function NotFound() {
  return (
    <MessagePage title="Page not found">
      <Notice
        tone="neutral"
        title="There is no page at this address"
        actions={
          <Link href="/" className={buttonClass()}>
            Look up an address or a block
          </Link>
        }
      >
        Addresses are under <span className="mono">/addresses/…</span>, blocks under{" "}
        <span className="mono">/blocks/…</span>
      </Notice>
    </MessagePage>
  );
}
