import { ChevronIcon } from "./icons.tsx";
import { SignOut } from "./SignOut.tsx";
import { Time } from "./Time.tsx";

export interface Account {
  name: string;
  /** The token's last four characters. */
  hint: string;
  /** Milliseconds since the Unix epoch; null for never. */
  expiresAt: number | null;
}

export function AccountMenu({ account }: { account: Account }) {
  return (
    <>
      <button type="button" className="button px-2" popoverTarget="account">
        <span className="sr-only">Account</span>
        <span className="mono">…{account.hint}</span>
        <ChevronIcon />
      </button>
      <div id="account" popover="auto" className="corner-popover">
        <dl className="facts">
          <dt>Access token</dt>
          <dd>
            <bdi className="clip">{account.name || "unnamed"}</bdi>{" "}
            <span className="mono">…{account.hint}</span>
          </dd>
          <dt>Expires</dt>
          <dd>{account.expiresAt === null ? "never" : <Time time={account.expiresAt} />}</dd>
        </dl>
        <SignOut />
      </div>
    </>
  );
}
