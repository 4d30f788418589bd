import { Link } from "#components/Link.tsx";
import { Notice } from "#components/Notice.tsx";
import { BlockFault } from "./BlockFault.tsx";

export default function NotFound() {
  return (
    <div className="mx-auto max-w-2xl py-8" id="results">
      <h1 className="mb-4 font-semibold text-lg">Block not found</h1>
      <Notice
        tone="neutral"
        title={<BlockFault />}
        actions={
          <Link href="/" className="button">
            Look up another
          </Link>
        }
      >
        If it is a transaction hash, this service does not list transactions.
      </Notice>
    </div>
  );
}
