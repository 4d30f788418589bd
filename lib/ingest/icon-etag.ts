import { createHash } from "node:crypto";

/** The `AssetIcon.etag` of a picture: a hash of it. */
export const iconEtag = (picture: Uint8Array): string =>
  `"${createHash("sha256").update(picture).digest("base64url").slice(0, 22)}"`;
