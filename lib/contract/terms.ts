import type { AddressForm, ChainTerms, ChainWords, OutputKind } from "./chain.ts";
import { kindWord } from "./ledger.ts";

/** Adds functions to the chain's words. Browsers get only the words, and call this themselves. */
export function toTerms(words: ChainWords): ChainTerms {
  const hashText = (hash: string) => words.hash.prefix + hash.slice("0x".length);
  return {
    ...words,
    words,
    hashText,
    outPointJson(hash, index) {
      const names = words.outPoint;
      return {
        [names.hash]: hashText(hash),
        [names.index]: names.indexInHex ? `0x${index.toString(16)}` : index,
      };
    },
    outputKind: (kind, height) => outputKind(words, kind, height),
    detectAddress(text) {
      const lower = text.toLowerCase();
      const forms = words.addressForms.filter(({ start, anyCase }) =>
        (anyCase ? lower : text).startsWith(start),
      );
      return forms.reduce<Shape>((found, form) => found ?? readShape(text, form), null);
    },
  };
}

function outputKind({ kinds }: ChainWords, text: string, created?: number): OutputKind | null {
  const word = kindWord(text);
  if (!Object.hasOwn(kinds, word)) return null;
  const { block, ...kind } = kinds[word]!;
  const [, marked] = /^@(\d{1,15})$/.exec(text.slice(word.length)) ?? [];
  const height = block?.own ? created : marked && Number(marked);
  return block && typeof height === "number" ? { ...kind, block: { name: block.name, height } } : kind;
}

type Shape = ReturnType<ChainTerms["detectAddress"]>;

function readShape(text: string, form: AddressForm): Shape {
  const { start, characters, least, most = Infinity, anyCase, fault, network } = form;
  const lower = text.toLowerCase();
  const address = anyCase && (text === text.toUpperCase() || fault !== undefined) ? lower : text;
  const body = address.slice(start.length);
  const wrong = new RegExp(`[^${characters}]`).exec(body);
  if (!wrong && address.length >= least && address.length <= most) return { address, network };
  if (fault !== undefined) return fault === null ? null : { fault };
  if (/\s/.test(address)) return { fault: "An address has no spaces inside" };
  if (anyCase && address !== lower) {
    return { fault: "An address is all lower case or all upper case, not mixed" };
  }
  if (body === "") return { fault: "The address ends after its prefix" };
  if (wrong) return { fault: `Character ${start.length + wrong.index + 1} cannot be in an address` };
  const limit = address.length < least ? `at least ${least}` : `at most ${most}`;
  return { fault: `${address.length} characters, an address has ${limit}` };
}
