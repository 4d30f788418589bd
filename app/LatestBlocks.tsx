"use client";

import { useQuery } from "@tanstack/react-query";
import { useCallback, useState } from "react";
import { useChainStatus } from "#components/chain-tip.ts";
import { Link } from "#components/Link.tsx";
import { useUnlessReading } from "#components/reading.ts";
import { useNow } from "#components/Time.tsx";
import { Button } from "#components/ui/Button.tsx";
import { Panel } from "#components/ui/Panel.tsx";
import { countOf, formatAge, formatCount, formatUsd, formatUtc } from "#lib/client/format.ts";
import { latestBlocks } from "#lib/client/queries.ts";
import type { LatestBlock } from "#lib/client/status.ts";

const LIST_ID = "latest-blocks";

/** The newest blocks, live. While they are being read, new ones wait above the list. */
export function LatestBlocks({ first }: { first: LatestBlock[] }) {
  const { data: status } = useChainStatus();
  const { data: newest = first } = useQuery(latestBlocks(first, status?.tip ?? null));
  const [shown, setShown] = useState(first);
  const waiting = newest !== shown;
  const show = useCallback(() => setShown(newest), [newest]);
  useUnlessReading(LIST_ID, waiting ? show : null);
  const known = new Set(shown.map(({ hash }) => hash));
  const priced = shown.some(({ assetCount, unpricedCount }) => assetCount > unpricedCount);
  const added = waiting ? newest.filter(({ hash }) => !known.has(hash)).length : 0;
  return (
    <section aria-labelledby="latest">
      <div className="mb-2 flex min-h-8 items-center gap-3 max-sm:min-h-11">
        <h2 id="latest" className="font-semibold">
          Latest blocks
        </h2>
        {added > 0 ? (
          <Button size="narrow" onClick={show}>
            Show {countOf(added, "new block")}
          </Button>
        ) : (
          <Link href="/blocks/tip">Follow the newest block</Link>
        )}
      </div>
      <Panel id={LIST_ID} className="overflow-hidden">
        <table className="w-full">
          <thead className="max-sm:sr-only">
            <tr className="border-border border-b text-left text-text-2 text-xs *:px-3 *:py-1.5 *:font-medium">
              <th scope="col">Block</th>
              <th scope="col">Time</th>
              <th scope="col" className="text-right">
                Assets moved
              </th>
              {priced && (
                <th scope="col" className="text-right">
                  Volume, USD
                </th>
              )}
            </tr>
          </thead>
          <tbody className="divide-y divide-border">
            {shown.map((block) => (
              <BlockRow key={block.hash} block={block} valued={priced} />
            ))}
          </tbody>
        </table>
      </Panel>
    </section>
  );
}

/** `valued`: with what the block moved in US dollars. */
function BlockRow({ block, valued }: { block: LatestBlock; valued: boolean }) {
  const now = useNow();
  const { height, hash, timestamp, assetCount, unpricedCount, volumeUsd } = block;
  const priced = assetCount > unpricedCount;
  const volume = formatUsd(BigInt(volumeUsd));
  return (
    <tr className="h-9 *:px-3 max-sm:h-11 max-sm:*:px-1 max-sm:*:first:ps-2 max-sm:*:last:pe-2 hover:bg-sunken">
      <td>
        <Link href={`/blocks/${hash}`} className="inline-flex items-center max-sm:min-h-11">
          {formatCount(height)}
        </Link>
      </td>
      {/* Smaller on a phone, so that a row of hundreds of millions of dollars is one line. */}
      <td className="text-text-2 max-sm:text-xs sm:whitespace-nowrap">
        <time dateTime={new Date(timestamp).toISOString()} title={formatUtc(timestamp)}>
          {now === null ? formatUtc(timestamp) : formatAge(timestamp, now)}
        </time>
      </td>
      <td className="text-right">
        {formatCount(assetCount)}
        <span className="text-xs sm:hidden"> {assetCount === 1 ? "asset" : "assets"}</span>
      </td>
      {valued && (
        <td className="text-right">
          {priced ? (
            <span title={volume.exact}>{volume.text}</span>
          ) : (
            <span className="text-text-3" title="No asset here has a price">
              —
            </span>
          )}
        </td>
      )}
    </tr>
  );
}
