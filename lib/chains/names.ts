/** What the setting CHAIN may be; the first is the default. */
export const CHAINS = ["ckb", "litecoin", "bitcoin"] as const;
