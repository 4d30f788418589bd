import type { Metadata } from "next";
import { Notice } from "#components/ui/Notice.tsx";
import { getService } from "#lib/api/service.ts";
import { cleanText } from "#lib/client/chain-text.ts";
import { searchPath, visible } from "#lib/client/detect.ts";
import { MAX_SEARCH_TEXT, onlyResult } from "#lib/client/search.ts";
import { findText } from "#lib/dashboard/search.ts";
import { terms } from "#terms";
import { requireCaller } from "../caller.ts";
import { redirectTo } from "../redirect-to.ts";
import { Results } from "./Results.tsx";

type Props = PageProps<"/search">;

const SHOWN = 64;

async function textOf({ searchParams }: Props): Promise<string> {
  const [text = ""] = [(await searchParams).q ?? ""].flat();
  return visible(text) === "" ? "" : text.slice(0, MAX_SEARCH_TEXT);
}

export async function generateMetadata(props: Props): Promise<Metadata> {
  const { text } = cleanText(await textOf(props), SHOWN);
  return { title: text === "" ? "Search" : `Search: ${text}` };
}

/** The results for a text. A single result with its own page is opened directly. */
export default async function Page(props: Props) {
  const text = await textOf(props);
  const caller = await requireCaller(searchPath(text));
  const { results, notes } = await findText(await getService(), caller, text);
  const only = onlyResult(results);
  if (only) redirectTo(only.href);
  return (
    <div className="mx-auto py-6 lg:w-140" id="results">
      <h1 className="mb-4 font-bold text-2xl wrap-anywhere">
        {text === "" ? "Search" : <bdi>{cleanText(text, SHOWN).text}</bdi>}
      </h1>
      <Results found={results} text={text}>
        {notes.map((note, at) => (
          <Notice key={note} bare title={note}>
            {at === notes.length - 1 && results.length === 0 && (
              <p>
                You can search for addresses, blocks by number, hash or date, transactions
                {terms.hasTokens ? ", out points, and tokens by name, symbol or id." : " and out points."} The
                start of a hash or an address is enough.
              </p>
            )}
          </Notice>
        ))}
      </Results>
    </div>
  );
}
