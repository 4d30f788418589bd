/** An empty database gets its schema from its engine's `schema.sql`, an older one from the migrations that it lacks. */
import type { EngineName } from "./statement.ts";

/** A change of the schema since 0.1.0. Each engine runs its statements one by one, in one transaction. */
export interface Migration extends Readonly<Record<EngineName, readonly string[]>> {
  readonly name: string;
}

/** Oldest first. Only ever append to this list, and change both `schema.sql` files with it. */
export const migrations: readonly Migration[] = [];

/** The names of the steps that lead to the current schema. Their number is the schema's version. */
export const schemaSteps = (): string[] => ["0.1.0", ...migrations.map(({ name }) => name)];
