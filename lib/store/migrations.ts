/** How a database gets its schema: an empty one from its engine's `schema.sql`, an older one by the migrations it lacks. */
import type { EngineName } from "./statement.ts";

/** A change of the schema since 0.1.0. Each engine runs its statements one by one, in one transaction. */
export interface Migration extends Readonly<Record<EngineName, readonly string[]>> {
  readonly name: string;
}

/** Oldest first. Migrations are only added, each together with its change of both `schema.sql` files. */
export const migrations: readonly Migration[] = [];

/** The steps that a database with the current schema has behind it, by name. Their number is the schema's version. */
export const schemaSteps = (): string[] => ["0.1.0", ...migrations.map(({ name }) => name)];
