"use client";

import { useState } from "react";
import { AssetLabel } from "#components/AssetLabel.tsx";
import { Time } from "#components/Time.tsx";
import { countOf, formatCount } from "#lib/client/format.ts";
import type { NewestAsset } from "#lib/client/home.ts";

/** The newest assets, without flagged ones until the reader asks for them. `isWhole`: no block is missing, so the time of a first mint is certain. */
export function NewestAssets({ assets, isWhole }: { assets: NewestAsset[]; isWhole: boolean }) {
  const [isShown, setShown] = useState(false);
  const plain = assets.filter(({ flags }) => flags.length === 0);
  const hidden = assets.length - plain.length;
  return (
    <>
      <ul className="divide-y">
        {(isShown ? assets : plain).map(({ asset, standard, members, holderCount, firstMintAt, flags }) => (
          <li
            key={asset.id}
            className="flex min-h-11 flex-wrap items-center justify-between gap-x-4 max-sm:py-2"
          >
            <AssetLabel asset={asset} flags={flags} />
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
        ))}
      </ul>
      {hidden > 0 && (
        <p className="mt-2 text-text-2 text-xs">
          {formatCount(hidden)} flagged,{" "}
          <button
            type="button"
            aria-label={isShown ? "Hide flagged assets" : "Show flagged assets"}
            className="min-h-6 text-accent underline max-sm:min-h-11"
            onClick={() => setShown(!isShown)}
          >
            {isShown ? "hide" : "show"}
          </button>
        </p>
      )}
    </>
  );
}
