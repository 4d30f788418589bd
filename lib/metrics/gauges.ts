import { type Aggregator, Gauge, type Registry } from "prom-client";

type Value = number | undefined;

/** Returns the function that adds a gauge to a registry. `read` is called at each scrape, and undefined leaves the gauge unchanged. */
export const gaugesIn =
  (registry: Registry) =>
  (name: string, help: string, read?: () => Value | Promise<Value>, aggregator: Aggregator = "sum") =>
    new Gauge({
      name,
      help,
      registers: [registry],
      aggregator,
      ...(read && {
        async collect() {
          const value = await read();
          if (value !== undefined) this.set(value);
        },
      }),
    });
