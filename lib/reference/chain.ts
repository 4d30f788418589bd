import { terms } from "#terms";

const { chain, kinds, native, output, smallestUnit, hasTokens } = terms;

export const aboutChain = [
  `The chain is ${chain}. Its native asset ${native.symbol} has the id \`${native.id}\`: 10^${native.decimals} ${smallestUnit.many} are 1 ${native.symbol}.`,
  ...(output.one === "output" ? [] : [`Its users call an output a ${output.one}.`]),
  ...(hasTokens ? [] : ["Its outputs hold no tokens: the native asset is the only one."]),
  `Outputs are of the kinds ${Object.keys(kinds)
    .map((kind) => `\`${kind}\``)
    .join(", ")}.`,
].join(" ");
