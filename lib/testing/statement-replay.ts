import { type Block, type Output, outPointText } from "#lib/contract/ledger.ts";
import type { StatementLine } from "#lib/queries/address-statement/contract.ts";

/** By replaying the blocks: the statement of the addresses with these keys, oldest lines first. */
export function statementOf(
  blocks: readonly Block[],
  keys: readonly string[],
  native: string,
  per: "block" | "transaction" = "block",
): StatementLine[] {
  const lines: StatementLine[] = [];
  const live = new Map<string, Output>();
  const balances = new Map<string, bigint>();
  for (const { height, hash: blockHash, timestamp, transactions } of blocks) {
    const time = new Date(timestamp).toISOString();
    const moved = new Map<string, { in: bigint; out: bigint }>();
    const close = (transaction?: string) => {
      for (const [token, { in: came, out }] of [...moved].sort(([one], [other]) => (one < other ? -1 : 1))) {
        const opening = balances.get(token) ?? 0n;
        const closing = opening + came - out;
        balances.set(token, closing);
        const amounts = { opening: `${opening}`, in: `${came}`, out: `${out}`, closing: `${closing}` };
        lines.push({ height, ...(transaction && { transaction }), blockHash, time, token, ...amounts });
      }
      moved.clear();
    };
    for (const { hash, inputs, outputs } of transactions) {
      const nets = new Map<string, bigint>();
      const add = ({ address, token, amount }: Output, sign: bigint) => {
        const id = token?.id ?? native;
        if (keys.includes(address.key)) nets.set(id, (nets.get(id) ?? 0n) + sign * amount);
      };
      for (const outPoint of inputs.map(outPointText)) {
        const output = live.get(outPoint);
        if (output) add(output, -1n);
        live.delete(outPoint);
      }
      for (const [outputIndex, output] of outputs.entries()) {
        live.set(outPointText({ transactionHash: hash, outputIndex }), output);
        // Outputs that nobody can spend are listed nowhere.
        if (output.spendable !== false) add(output, 1n);
      }
      for (const [token, net] of nets) {
        const sums = moved.get(token) ?? { in: 0n, out: 0n };
        if (net > 0n) sums.in += net;
        else sums.out -= net;
        moved.set(token, sums);
      }
      if (per === "transaction") close(hash);
    }
    if (per === "block") close();
  }
  return lines;
}
