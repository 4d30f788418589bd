import type { ComponentProps } from "react";
import { ButtonLink } from "#components/Link.tsx";
import { NothingIndexed } from "#components/page-parts.tsx";
import { MessagePage } from "#components/ui/MessagePage.tsx";
import { markNotFound } from "#lib/server/rendered-request.ts";

interface Props extends ComponentProps<typeof MessagePage> {
  /** Nothing is indexed, so the link may well be right. */
  isEmpty?: boolean;
}

/** A page with the status 404 about what a link names. */
export function NotFoundPage({ isEmpty = false, actions, ...message }: Props) {
  markNotFound();
  if (isEmpty) return <NothingIndexed heading={message.heading} />;
  return (
    <MessagePage
      actions={
        <>
          <ButtonLink href="/">Look up another</ButtonLink>
          {actions}
        </>
      }
      {...message}
    />
  );
}
