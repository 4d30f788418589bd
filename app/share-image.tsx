import { ImageResponse } from "next/og";
import { getService } from "#lib/api/service.ts";
import { type AssetNames, createFlagger, displaySymbol, type Namesakes } from "#lib/client/chain-text.ts";
import type { NativeAsset } from "#lib/contract/ledger.ts";
import type { Scope } from "#lib/contract/operation.ts";
import { currentCaller } from "./caller.ts";

export const SHARE_IMAGE_SIZE = { width: 1200, height: 630 };

interface ShareImage {
  /** Such as `Block 14,203,551`. */
  title: string;
  /** The shortened address or hash. */
  subject: string;
  /** At most four pairs of name and value; empty if the reader may not see them. */
  figures: [string, string][];
  lines: string[];
}

/**
 * Draws a PNG with the service's name, `plain`, and what `read` returns if the reader has the scope. Link previews have
 * no session: they get figures of generated data only. The framework has the font, so this needs no network.
 */
export async function drawShareImage(
  plain: Pick<ShareImage, "title" | "subject"> | null,
  scope: Scope,
  read: () => Promise<Partial<ShareImage> | null>,
): Promise<Response> {
  const { identity } = await getService();
  const isDemo = (await identity())?.demo === true;
  const isAllowed = isDemo || ((await currentCaller())?.scopes.includes(scope) ?? false);
  const more = isAllowed ? await read() : null;
  const image = { title: "", subject: "", figures: [], lines: [], ...plain, ...more };
  const response = new ImageResponse(<Picture {...image} />, SHARE_IMAGE_SIZE);
  return new Response(await response.arrayBuffer(), {
    headers: {
      "Content-Type": "image/png",
      Vary: "Cookie",
      "Cache-Control": isDemo || !more ? "public, max-age=300" : "private, no-store",
    },
  });
}

/** Drops characters that the font lacks: for these, the framework would ask a font service on the network. */
function drawable(text: string): string {
  return text
    .replaceAll("…", "...")
    .replaceAll("·", "-")
    .replace(/[^ -~]/g, "")
    .replace(/ +/g, " ")
    .trim();
}

/** The assets whose symbols have no flag and can be drawn unchanged. */
export function plainlyNamed<Asset extends AssetNames>(
  assets: Asset[],
  surroundings: { native: NativeAsset } & Namesakes,
): Asset[] {
  const flagger = createFlagger(surroundings);
  return assets.filter(
    (asset) =>
      asset.symbol !== "" &&
      flagger(asset).length === 0 &&
      drawable(displaySymbol(asset)) === displaySymbol(asset),
  );
}

/** The light colours of globals.css, which the framework's drawing cannot read. */
const QUIET = "text-[#545961]";

/** If any value is longer than this, all of them are drawn in smaller letters. */
const LARGE_LENGTH = 10;

export function Picture({ title, subject, figures, lines }: ShareImage) {
  const size = figures.some(([, value]) => value.length > LARGE_LENGTH) ? "text-[27px]" : "text-[38px]";
  return (
    <div tw="flex flex-col w-full h-full p-16 bg-[#ffffff] text-[#14161a]">
      <div tw={`flex items-center text-[30px] ${QUIET}`}>
        {/* As in the header. */}
        <div tw="flex flex-wrap content-between justify-between mr-[18px] h-10 w-10 p-[9px] rounded-[12px] bg-[#0b7a5f]">
          {["white", "white/40", "white/40", "white"].map((colour, at) => (
            <div
              // biome-ignore lint/suspicious/noArrayIndexKey: the squares never move
              key={at}
              tw={`w-[9px] h-[9px] rounded-[2.5px] bg-${colour}`}
            />
          ))}
        </div>
        Asset Query Service
      </div>
      <div tw="flex mt-14 text-[60px]">{drawable(title)}</div>
      <div tw={`flex mt-2 text-[34px] ${QUIET}`}>{drawable(subject)}</div>
      <div tw="flex mt-12">
        {figures.map(([name, value]) => (
          <div key={name} tw="flex flex-col w-[268px] pt-4 border-t-2 border-[#e9e9e6]">
            <div tw={`flex text-[24px] ${QUIET}`}>{drawable(name)}</div>
            <div tw={`flex mt-1.5 ${size}`}>{drawable(value)}</div>
          </div>
        ))}
      </div>
      <div tw={`flex flex-col mt-auto text-[26px] ${QUIET}`}>
        {lines.map((line) => (
          <div key={line} tw="flex">
            {drawable(line)}
          </div>
        ))}
      </div>
    </div>
  );
}
