import type { Service } from "#lib/api/service.ts";

/** Computes figures that all readers share once per version of the data. With Citus there is no version. */
export function shared<Value>(compute: (service: Service) => Promise<Value>) {
  const cache = new WeakMap<Service["store"], { version: string; value: Promise<Value> }>();
  return (service: Service, version: string | null): Promise<Value> => {
    const { store } = service;
    const known = cache.get(store);
    if (version !== null && known?.version === version) return known.value;
    const value = compute(service);
    if (version !== null) {
      const entry = { version, value };
      cache.set(store, entry);
      value.catch(() => cache.get(store) === entry && cache.delete(store));
    }
    return value;
  };
}
