"use client";

import { lazyPart } from "#components/lazy-part.tsx";

/** The form for a wallet's addresses. A page with a wallet loads its code when the reader opens it. */
export const Editor = lazyPart("The form", () => import("./WalletEditor.tsx"));
