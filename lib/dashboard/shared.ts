import type { Service } from "#lib/api/service.ts";

/**
 * Figures that every reader sees alike: computed once for each version of the data, however many ask. With Citus there is
 * no version, and they are computed each time.
 */
export function shared<Value>(compute: (service: Service) => Promise<Value>) {
  const kept = new WeakMap<Service["store"], { version: string; value: Promise<Value> }>();
  /** @param version of the data, read before */
  return (service: Service, version: string | null): Promise<Value> => {
    const { store } = service;
    const known = kept.get(store);
    if (version !== null && known?.version === version) return known.value;
    const value = compute(service);
    if (version !== null) {
      const entry = { version, value };
      kept.set(store, entry);
      // A failure is for those who wait for it now.
      value.catch(() => kept.get(store) === entry && kept.delete(store));
    }
    return value;
  };
}
