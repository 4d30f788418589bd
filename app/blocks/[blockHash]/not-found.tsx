import { Link } from "#components/Link.tsx";
import { buttonClass } from "#components/ui/Button.tsx";
import { MessagePage } from "#components/ui/MessagePage.tsx";
import { Notice } from "#components/ui/Notice.tsx";
import { BlockFault } from "./BlockFault.tsx";

export default function NotFound() {
  return (
    <MessagePage title="Block not found">
      <Notice
        tone="neutral"
        title={<BlockFault />}
        actions={
          <Link href="/" className={buttonClass()}>
            Look up another
          </Link>
        }
      >
        If it is a transaction hash, this service does not list transactions.
      </Notice>
    </MessagePage>
  );
}
