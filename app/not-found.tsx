import type { Metadata } from "next";
import { ButtonLink } from "#components/Link.tsx";
import { MessagePage } from "#components/ui/MessagePage.tsx";

export const metadata: Metadata = { title: "Page not found" };

export default function NotFound() {
  return (
    <MessagePage
      heading="Page not found"
      title="Check the URL, or search for what you need"
      actions={<ButtonLink href="/">Open the home page</ButtonLink>}
    />
  );
}
