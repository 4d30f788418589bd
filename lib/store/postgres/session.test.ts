import type { Socket } from "node:net";
import pg from "pg";
import { expect, test, vi } from "vitest";
import { statementWith } from "#lib/store/statement.ts";
import { NO_POSTGRES, postgresBinaries, startPostgres } from "#lib/testing/postgres.ts";
import { Session } from "./session.ts";

const missing = postgresBinaries() === null;
const NUMBER = statementWith(["number"])("SELECT CAST($number AS integer) AS number");

test.skipIf(missing)(
  `statements of one tick are sent together, and a failed one cannot be committed${missing ? `: ${NO_POSTGRES}` : ""}`,
  async () => {
    const server = startPostgres();
    const client = new pg.Client({ connectionString: server.url("postgres"), pipeline: true });
    await client.connect();
    const session = new Session({ client, place: "here", deadline: 0 });
    const sent = vi.spyOn(client.connection.stream as Socket & Required<Pick<Socket, "_writev">>, "_writev");
    const numbers = [1, 2, 3];
    const rows = await Promise.all(numbers.map((number) => session.get(NUMBER({ number }))));
    expect(rows).toEqual(numbers.map((number) => ({ number })));
    expect(sent).toHaveBeenCalledTimes(1);

    // The driver does not report that the server rolls back instead.
    const swallowed = session.transaction("BEGIN", {}, async () => {
      await session.exec("SELECT 1 / 0").catch(() => {});
    });
    await expect(swallowed).rejects.toThrow("PostgreSQL rolled back the transaction");
    await client.end();
    await server.stop();
  },
);
