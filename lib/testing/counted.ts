import type { Query, Reader } from "#lib/store/query.ts";

/** Wraps a query to count the rows that it reads, in total and in its largest statement. */
export function counted<Input, Result>(query: Query<Input, Result>) {
  const rows = { read: 0, most: 0 };
  const count = (found: object[]) => {
    rows.read += found.length;
    rows.most = Math.max(rows.most, found.length);
    return found;
  };
  const counting =
    (query: Reader["all"]): unknown =>
    (...given: Parameters<typeof query>) => {
      const found = query(...given);
      return found instanceof Promise ? found.then(count) : count(found as object[]);
    };
  const read: typeof query.read = (db, input) => {
    const methods: PropertyDescriptorMap = { all: { value: counting(db.all) } };
    if (db.engine === "sqlite") methods.tuples = { value: counting(db.tuples as never) };
    return query.read(Object.create(db, methods), input);
  };
  return { query: { ...query, read }, rows };
}
