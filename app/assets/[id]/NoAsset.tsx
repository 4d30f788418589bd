import { ButtonLink } from "#components/Link.tsx";
import { NothingIndexed } from "#components/page-parts.tsx";
import { MessagePage } from "#components/ui/MessagePage.tsx";
import { markNotFound } from "#lib/server/rendered-request.ts";
import { terms } from "#terms";

/** Says that the id of a link names no asset. `isEmpty`: nothing is indexed. */
export function NoAsset({ isEmpty }: { isEmpty: boolean }) {
  markNotFound();
  const heading = `${terms.hasTokens ? "Token" : "Asset"} not found`;
  if (isEmpty) return <NothingIndexed heading={heading} />;
  return (
    <MessagePage
      heading={heading}
      title={`No indexed block has ${terms.hasTokens ? "a token or a collection" : "an asset"} with this id.`}
      actions={<ButtonLink href="/">Look up another</ButtonLink>}
    >
      An id begins with 0x and has only hex digits.
    </MessagePage>
  );
}
