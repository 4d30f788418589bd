import { ButtonLink } from "#components/Link.tsx";
import { NothingIndexed } from "#components/page-parts.tsx";
import { MessagePage } from "#components/ui/MessagePage.tsx";
import { getService } from "#lib/api/service.ts";
import { chainTip } from "#lib/queries/chain.ts";
import { terms } from "#terms";

export default async function NotFound() {
  const heading = `${terms.hasTokens ? "Token" : "Asset"} not found`;
  const { store } = await getService();
  if (!(await store.query(chainTip))) return <NothingIndexed heading={heading} />;
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
