import { Address } from "#components/Address.tsx";
import { AssetIcon } from "#components/AssetLabel.tsx";
import { CopyButton } from "#components/CopyButton.tsx";
import { Cut } from "#components/Cut.tsx";
import { ButtonLink, Link } from "#components/Link.tsx";
import { PartialIndex } from "#components/PartialIndex.tsx";
import { Section } from "#components/ui/Section.tsx";
import { displayName } from "#lib/client/chain-text.ts";
import { countOf, cutId, formatCount } from "#lib/client/format.ts";
import { type Collection, MAX_COUNTED_MEMBERS, type Member } from "#lib/queries/asset-relations.ts";

const nameOf = (id: string, { name }: Collection) => displayName({ id, name, symbol: "", decimals: 0 });

function countText({ memberCount }: Collection): string {
  return memberCount === null
    ? `more than ${formatCount(MAX_COUNTED_MEMBERS)} members`
    : countOf(memberCount, "member");
}

interface Props {
  id: string;
  collection: Collection;
  /** Whether the reader may see who holds the members. */
  mayReadHolders: boolean;
}

/** The page of a collection: its name, and its members in the order of their first appearance. */
export function CollectionView(props: Props & { from: string }) {
  const { id, collection, from, mayReadHolders } = props;
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-8 pt-2 pb-8">
      <div>
        <PartialIndex tip={collection.tip} />
        <p className="flex items-center gap-1.5 text-text-2">
          <Cut parts={cutId(id)} />
          <CopyButton text={id} label="collection id" />
          collection
        </p>
        <h1 className="mt-1 font-bold text-2xl wrap-anywhere">
          <bdi>{nameOf(id, collection)}</bdi>
        </h1>
        <p className="mt-1 flex flex-wrap gap-x-4 text-text-2">
          <span>{countText(collection)}</span>
          {collection.tip && <span>as of block {formatCount(collection.tip.height)}</span>}
        </p>
      </div>
      <Section title="Members">
        <div id="results">
          <Members members={collection.members} current="" {...{ mayReadHolders }} />
        </div>
        <div className="mt-6 flex gap-2">
          {from !== "" && <ButtonLink href={`/assets/${id}`}>First members</ButtonLink>}
          {collection.next && (
            <ButtonLink href={`/assets/${id}?after=${collection.next}`}>More members</ButtonLink>
          )}
        </div>
      </Section>
    </div>
  );
}

/** The collection on the page of a member. */
export function CollectionPart(props: Props & { current: string }) {
  const { id, collection, current, mayReadHolders } = props;
  return (
    <Section
      title={
        <>
          Collection <bdi>{nameOf(id, collection)}</bdi>
        </>
      }
      aside={<Link href={`/assets/${id}`}>{countText(collection)}</Link>}
    >
      <Members members={collection.members} {...{ current, mayReadHolders }} />
    </Section>
  );
}

interface MembersProps extends Pick<Props, "mayReadHolders"> {
  members: readonly Member[];
  current: string;
}

function Members({ members, current, mayReadHolders }: MembersProps) {
  return (
    <ul className="grid grid-cols-2 gap-3 sm:grid-cols-3 lg:grid-cols-6">
      {members.map(({ token, holder }) => (
        <li key={token.id} className="min-w-0">
          <Link
            href={`/assets/${token.id}`}
            aria-current={token.id === current ? "true" : undefined}
            className="flex h-full min-w-0 flex-col gap-1 rounded-lg bg-sunken p-3 text-text no-underline hover:bg-border aria-[current]:bg-accent-bg"
          >
            <span className="flex min-w-0 items-center gap-2">
              <AssetIcon asset={token} flags={[]} />
              <Cut parts={cutId(token.id)} />
            </span>
            {mayReadHolders && (
              <span className="truncate text-text-2 text-xs">
                {holder === null ? "no holder now" : <Address address={holder} narrows className="text-xs" />}
              </span>
            )}
          </Link>
        </li>
      ))}
    </ul>
  );
}
