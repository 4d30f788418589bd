/** `aqs`: the command line. Data goes to stdout, progress and errors to stderr. */
import { InvalidChainDataError } from "#lib/contract/ledger.ts";
import { SourceError } from "#lib/contract/source.ts";
import { InvalidInputError } from "#lib/indexer/input.ts";
import { ChainConflictError, isUnavailable } from "#lib/store/errors.ts";
import { report } from "./command.ts";
import { run } from "./run.ts";

/** Errors in the input or the environment need no stack trace; bugs do. */
function explain(error: unknown): string[] {
  const expected =
    error instanceof InvalidChainDataError ||
    error instanceof ChainConflictError ||
    error instanceof SourceError ||
    isUnavailable(error);
  if (!(error instanceof Error)) return [String(error)];
  if (error instanceof InvalidInputError) return [...error.faults];
  if (expected || error.constructor === Error) return [error.message];
  // The stack begins with the message, whose line breaks must not look like the stack's.
  const { stack = "" } = error;
  const title = String(error);
  return stack.startsWith(title)
    ? [title, ...stack.slice(title.length).trimStart().split("\n")]
    : [title, stack];
}

run(process.argv.slice(2)).then(
  (code) => {
    process.exitCode ||= code;
  },
  (error: unknown) => {
    report(explain(error));
    // With `exitCode` alone, a connection to a server that hangs would keep the process alive.
    process.exit(1);
  },
);
