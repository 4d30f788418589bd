"use client";

import type { ComponentProps } from "react";
import { lazyPart } from "#components/lazy-part.tsx";

const WalletEditor = lazyPart("The form", () => import("./WalletEditor.tsx"));

/** The form for a wallet's addresses. A page with a wallet loads its code when the reader opens it. */
export const Editor = (props: ComponentProps<typeof WalletEditor>) => <WalletEditor {...props} />;
