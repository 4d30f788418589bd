/** The values of the setting CHAIN; the first is the default. */
export const CHAINS = ["ckb", "litecoin", "bitcoin"] as const;
