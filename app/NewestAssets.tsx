"use client";

import { AssetLabel } from "#components/AssetLabel.tsx";
import { useFlags } from "#components/list/flagged.tsx";
import { Time } from "#components/Time.tsx";
import { namesakesOf, withImitation } from "#lib/client/chain-text.ts";
import { countOf, formatCount } from "#lib/client/format.ts";
import type { NewestAsset } from "#lib/client/home.ts";
import { terms } from "#terms";

/** `isWhole`: no block is missing, so the time of a first mint is certain. */
export function NewestAssets({ assets, isWhole }: { assets: NewestAsset[]; isWhole: boolean }) {
  const flagsOf = useFlags({ native: terms.native, ...namesakesOf(assets.map(({ asset }) => asset)) });
  return (
    <ul className="divide-y">
      {assets.map((newest) => {
        const { asset, standard, members, holderCount, firstMintAt } = newest;
        return (
          <li
            key={asset.id}
            className="flex min-h-11 flex-wrap items-center justify-between gap-x-4 max-sm:py-2"
          >
            <AssetLabel asset={asset} flags={withImitation(flagsOf(asset), newest.resembles)} />
            <span className="text-text-2 max-sm:ps-8.5">
              {standard}
              {members > 1 && `, ${formatCount(members - 1)} more`}
              <span className="text-text-3">
                {" "}
                · {countOf(holderCount, "holder")}
                {isWhole && firstMintAt !== "" && (
                  <>
                    {" "}
                    · <Time time={Date.parse(firstMintAt)} short />
                  </>
                )}
              </span>
            </span>
          </li>
        );
      })}
    </ul>
  );
}
