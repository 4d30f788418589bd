/** Makes unused values of a query a compile error: `const { a, b, ...rest } = query; exhaustive(rest);`. */
export function exhaustive(_rest: Record<string, never>): void {}
