/**
 * For what is left of a query after all its values are taken: `const { a, b, ...rest } = query; exhaustive(rest);`.
 * A value that is added to the query and used nowhere then does not compile.
 */
export function exhaustive(_rest: Record<string, never>): void {}
