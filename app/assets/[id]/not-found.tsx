import { ButtonLink } from "#components/Link.tsx";
import { MessagePage } from "#components/ui/MessagePage.tsx";

export default function NotFound() {
  return (
    <MessagePage
      heading="Token not found"
      tone="neutral"
      title="No indexed block mentions a token or a collection with this id."
      actions={<ButtonLink href="/">Look up another</ButtonLink>}
    >
      A token's id begins with 0x and has only hex digits.
    </MessagePage>
  );
}
