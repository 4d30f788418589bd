import type { Metadata } from "next";
import { ButtonLink } from "#components/Link.tsx";
import { MessagePage } from "#components/ui/MessagePage.tsx";

export const metadata: Metadata = { title: "Page not found" };

export default function NotFound() {
  return (
    <MessagePage
      heading="Page not found"
      tone="neutral"
      title="There is no such page"
      actions={<ButtonLink href="/">Look up an address or a block</ButtonLink>}
    >
      Addresses are under <span className="mono">/addresses/…</span>, blocks under{" "}
      <span className="mono">/blocks/…</span>
    </MessagePage>
  );
}
