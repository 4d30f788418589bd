"use client";

import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { createFlagger, type Flag, type ListedNames, type Namesakes } from "#lib/client/chain-text.ts";
import { type Holding, holdingQuery, MAX_HOLDING_SEARCH } from "#lib/client/holdings.ts";
import type { NumberedPage } from "#lib/client/queries.ts";
import type { Answer } from "#lib/client/request.ts";
import type { ShownNative } from "./row-facts.ts";

/** What the address holds, as it came with the page. */
export interface AddressHoldings {
  address: string;
  native: ShownNative | null;
  /** Which of the address's tokens may be mistaken for one another. */
  namesakes: Namesakes;
  /** The most valuable; `total` counts all. */
  first: Answer<NumberedPage<Holding>>;
}

export interface HoldingsProps extends AddressHoldings {
  /** Of all of them, in units of 10^-8 US dollars. */
  valueUsd: string;
  /** Called once the list is on the page. */
  onShown: () => void;
}

/** Flags are computed once for each token. */
export function useFlagsOfTokens(native: ShownNative | null, namesakes: Namesakes) {
  return useMemo(() => {
    const flagger = createFlagger({ native, ...namesakes });
    const known = new Map<string, readonly Flag[]>();
    return (token: ListedNames): readonly Flag[] => {
      const flags = known.get(token.id) ?? flagger(token);
      known.set(token.id, flags);
      return flags;
    };
  }, [native, namesakes]);
}

/** What the address holds of one token; asked for if it did not come with the page. */
export function useHolding({ address, first }: AddressHoldings, token: string): Holding | undefined {
  const { result, total } = first.data;
  const known = result.find(({ id }) => id === token);
  const { data } = useQuery({
    ...holdingQuery(address, token, first.tip),
    enabled: token !== "" && token.length <= MAX_HOLDING_SEARCH && !known && total > result.length,
  });
  return known ?? data ?? undefined;
}
