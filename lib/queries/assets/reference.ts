import { tokenTexts } from "../address-utxos/reference.ts";
import { plain } from "../model-text.ts";
import { curl, type Reference } from "../reference.ts";
import { type AssetEntry, contract } from "./contract.ts";

export const assetForModel = ({ tokenInfo, tags, ...asset }: AssetEntry) => ({
  id: asset.token,
  standard: asset.standard,
  layer: tokenInfo.layer,
  decimals: tokenInfo.decimals,
  totalSupply: tokenInfo.totalSupply,
  firstFoundBlock: tokenInfo.firstFoundBlock,
  firstMintAt: tokenInfo.firstMintAt,
  holderCount: asset.holderCount,
  outputCount: asset.outputCount,
  priceUsd: asset.priceUsd,
  isInRegistry: tokenInfo.public,
  mayImitate: asset.resembles,
  untrusted: { ...tokenTexts(tokenInfo), tags: tags.map(plain) },
});

export const reference: Reference<typeof contract> = {
  section: "assets",
  title: "Assets",
  query: { pageSize: "2" },
  samples: (origin, path) => [
    curl(
      `${origin}${path}?search=$NAME`,
      "Assets with this name, the registry's first. An entry that resembles another one may imitate it.",
    ),
  ],

  example: {
    parameters: () => ({ search: "", pageSize: 2 }),
    more: ({ lastCursor, result }) => ({ cursor: lastCursor, search: result[0]!.token }),
    few: ({ result }) => ({ search: result[0]!.token }),
  },

  usage: `${contract.summary}. Use it to find an id by name. While \`hasNext\` is true, pass \`lastCursor\` as \`cursor\` for more.`,

  forModel: ({ result, ...others }) => ({ result: result.map(assetForModel), ...others }),
};
