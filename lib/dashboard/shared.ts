import type { Service } from "#lib/api/service.ts";

/**
 * Figures that every reader sees alike: computed once for each version of the data, however many ask. With Citus there is
 * no version, and they are computed each time.
 */
export function shared<Value>(compute: (service: Service) => Promise<Value>) {
  const cache = new WeakMap<Service["store"], { version: string; value: Promise<Value> }>();
  /** @param version of the data, read before */
  return (service: Service, version: string | null): Promise<Value> => {
    const { store } = service;
    const known = cache.get(store);
    if (version !== null && known?.version === version) return known.value;
    const value = compute(service);
    if (version !== null) {
      const entry = { version, value };
      cache.set(store, entry);
      // A failure is for those who wait for it now.
      value.catch(() => cache.get(store) === entry && cache.delete(store));
    }
    return value;
  };
}
