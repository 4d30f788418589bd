import { ImageResponse } from "next/og";
import { getService } from "#lib/api/service.ts";
import type { Scope } from "#lib/contract/operation.ts";
import { currentCaller } from "./caller.ts";

export const SHARE_IMAGE_SIZE = { width: 1200, height: 630 };

export interface ShareImage {
  /** What the page is about, in words: `Block 14,203,551`. */
  title: string;
  /** The address or the hash, cut. */
  subject: string;
  /** At most four, as name and value; none if the reader may not see them. */
  figures: [string, string][];
  /** What else is worth a line, and as of when. */
  lines: string[];
}

/** Nothing but the service's name. */
export const PLAIN_SHARE_IMAGE: ShareImage = { title: "", subject: "", figures: [], lines: [] };

/**
 * Whether a picture may show figures. A link preview asks without a session, so it gets figures of generated data
 * only. A signed-in browser gets them all.
 */
export async function mayShowFigures(scope: Scope): Promise<boolean> {
  const { identity } = await getService();
  if ((await identity())?.demo) return true;
  return (await currentCaller())?.scopes.includes(scope) ?? false;
}

/** The picture as PNG. Needs no network: its one font comes with the framework. */
export async function drawShareImage(image: ShareImage): Promise<Response> {
  const { identity } = await getService();
  const response = new ImageResponse(<Picture {...image} />, SHARE_IMAGE_SIZE);
  const body = await response.arrayBuffer();
  const isPublic = image.figures.length === 0 || (await identity())?.demo === true;
  return new Response(body, {
    headers: {
      "Content-Type": "image/png",
      // A session may show more.
      Vary: "Cookie",
      "Cache-Control": isPublic ? "public, max-age=300" : "private, no-store",
    },
  });
}

/** Keeps only characters that the font has. For any other, the framework would ask a font service on the network. */
export function drawable(text: string): string {
  return text
    .replaceAll("…", "...")
    .replaceAll("·", "-")
    .replace(/[^ -~]/g, "");
}

const colours = { text: "#1b1d1f", quiet: "#545a61", accent: "#1f5fa8", border: "#deded9", page: "#fbfbfa" };

function Picture({ title, subject, figures, lines }: ShareImage) {
  const square = (filled: boolean) => ({
    width: 18,
    height: 18,
    borderRadius: 4,
    border: `3px solid ${colours.accent}`,
    background: filled ? colours.accent : colours.page,
  });
  return (
    <div
      style={{
        width: "100%",
        height: "100%",
        display: "flex",
        flexDirection: "column",
        padding: 64,
        background: colours.page,
        color: colours.text,
      }}
    >
      <div style={{ display: "flex", alignItems: "center", gap: 18, fontSize: 30, color: colours.quiet }}>
        <div style={{ display: "flex", flexWrap: "wrap", width: 40, gap: 4 }}>
          <div style={square(true)} />
          <div style={square(false)} />
          <div style={square(false)} />
          <div style={square(true)} />
        </div>
        Asset Query Service
      </div>
      <div style={{ display: "flex", marginTop: 56, fontSize: 60 }}>{drawable(title)}</div>
      <div style={{ display: "flex", marginTop: 8, fontSize: 34, color: colours.quiet }}>
        {drawable(subject)}
      </div>
      <div style={{ display: "flex", marginTop: 48 }}>
        {figures.map(([name, value]) => (
          <div
            key={name}
            style={{
              display: "flex",
              flexDirection: "column",
              width: 268,
              paddingTop: 16,
              borderTop: `2px solid ${colours.border}`,
            }}
          >
            <div style={{ display: "flex", fontSize: 24, color: colours.quiet }}>{drawable(name)}</div>
            <div style={{ display: "flex", marginTop: 6, fontSize: value.length > 10 ? 27 : 38 }}>
              {drawable(value)}
            </div>
          </div>
        ))}
      </div>
      <div
        style={{
          display: "flex",
          flexDirection: "column",
          marginTop: "auto",
          fontSize: 26,
          color: colours.quiet,
        }}
      >
        {lines.map((line) => (
          <div key={line} style={{ display: "flex" }}>
            {drawable(line)}
          </div>
        ))}
      </div>
    </div>
  );
}
