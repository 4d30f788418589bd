import { ButtonLink } from "#components/Link.tsx";
import { MessagePage } from "#components/ui/MessagePage.tsx";
import { terms } from "#terms";

export default function NotFound() {
  return (
    <MessagePage
      heading={`${terms.hasTokens ? "Token" : "Asset"} not found`}
      title={`No indexed block has ${terms.hasTokens ? "a token or a collection" : "an asset"} with this id.`}
      actions={<ButtonLink href="/">Look up another</ButtonLink>}
    >
      An id begins with 0x and has only hex digits.
    </MessagePage>
  );
}
