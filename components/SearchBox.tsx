"use client";

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { usePathname, useSearchParams } from "next/navigation";
import { type KeyboardEvent, useId, useRef, useState } from "react";
import { BASE_PATH, withBase, withoutBase } from "#lib/client/base-path.ts";
import { bareText, SEARCH_PATH, searchPath, visible } from "#lib/client/detect.ts";
import { failureText } from "#lib/client/failure.ts";
import { countOf } from "#lib/client/format.ts";
import { searchQuery } from "#lib/client/queries.ts";
import { MAX_SEARCH_TEXT, onlyResult, type SearchResult, type SearchResults } from "#lib/client/search.ts";
import { terms } from "#terms";
import { FoundRow } from "./FoundRow.tsx";
import { SearchIcon } from "./icons.tsx";
import { useLabelled } from "./labels.tsx";
import { hasModifier } from "./modifier.ts";
import { openingsSoFar, openPage } from "./navigation.tsx";
import { Field } from "./ui/Field.tsx";
import { MENU, MENU_ITEM } from "./ui/Popover.tsx";
import { useHydrated } from "./use-hydrated.ts";

const LISTED = 8;
const KEY = "h-5 rounded-sm border bg-bg px-1.5 font-sans text-text-3 text-xs/4 max-md:hidden";

/** Maximum number of labelled addresses in the list. The page of results has all. */
const LABELLED = 4;

const OWN_PAGE = /^\/(?:addresses|assets|blocks|transactions|wallet)\b/;

/** The path of the page of this site to which the text is a link; undefined if it is none. */
function ownPath(text: string): string | undefined {
  const bare = visible(text);
  const url = URL.canParse(bare) ? new URL(bare) : null;
  if (url?.origin !== window.location.origin || !url.pathname.startsWith(`${BASE_PATH}/`)) return undefined;
  const path = withoutBase(url.pathname);
  return OWN_PAGE.test(path) ? path + url.search + url.hash : undefined;
}

/** A combobox that searches while the reader types. Ctrl-K and `/` focus it. Without scripts it opens the search page. */
export function SearchBox({ variant }: { variant: "header" | "page" }) {
  const client = useQueryClient();
  const path = usePathname();
  const parameters = useSearchParams();
  const initial = (path === SEARCH_PATH && parameters.get("q")) || "";
  const [text, setText] = useState(initial);
  const [sent, setSent] = useState("");
  const [isOpen, setOpen] = useState(false);
  const [active, setActive] = useState(-1);
  const place = `${path}?${initial}`;
  const [seen, setSeen] = useState(place);
  // The text stays until its page has loaded. Text that is typed meanwhile stays, too.
  if (place !== seen) {
    setSeen(place);
    if (initial !== "" || text === sent) setText(initial);
  }
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  const large = variant === "page";

  const sought = text.trim();
  const { data, error, isFetching } = useQuery(searchQuery(sought));
  const { results: found, notes }: SearchResults = (sought !== "" && data) || { results: [], notes: [] };
  const labelled = useLabelled(sought, LABELLED);
  const results = [...labelled, ...found];
  // The server cannot know the site's own URL.
  const own = useHydrated() ? ownPath(sought) : undefined;
  const failed = sought !== "" && error !== null;
  const said = failed ? [`${failureText(error).title}.`] : labelled.length > 0 ? [] : notes;
  const messages = own === undefined ? said : [];
  const options: { href: string; found?: SearchResult; title?: string }[] = results
    .slice(0, LISTED)
    .map((found) => ({ href: found.href, found }));
  if (results.length > LISTED)
    options.push({ href: searchPath(sought), title: `All ${results.length} results` });
  if (own !== undefined) options.unshift({ href: own, title: "Open this link" });
  /** The result that Enter opens: the only exact one or, if nothing else is found, the first labelled address. */
  const openedOf = (found: readonly SearchResult[]) => (found.length === 0 ? labelled[0] : onlyResult(found));
  const only = isFetching || error ? onlyResult(found) : openedOf(found);
  /** The option that Enter opens; -1: the search page. */
  const entered =
    active >= 0 ? active : options.findIndex(({ href, found }) => href === own || (found && found === only));
  const shown = isOpen && (options.length > 0 || messages.length > 0);

  function go(href: string, newTab: boolean) {
    if (newTab) return void window.open(withBase(href), "_blank", "noopener");
    setSent(text);
    setOpen(false);
    openPage(href);
    // Another page empties the field itself.
    if (path !== SEARCH_PATH && href.split(/[?#]/)[0] === path) setText("");
  }
  async function submit(newTab: boolean) {
    if (sought === "") return;
    const chosen = options[active]?.href ?? own;
    if (chosen !== undefined || newTab) return go(chosen ?? searchPath(sought), newTab);
    const opened = openingsSoFar();
    // After a failure the search page explains it.
    const found = await client.fetchQuery(searchQuery(sought)).catch(() => null);
    // The reader typed on, or went elsewhere.
    if (field.current?.value.trim() !== sought || openingsSoFar() !== opened) return;
    const result = found && openedOf(found.results);
    if (found?.results.length === 0 && !result) setOpen(true);
    else go(result?.href ?? searchPath(sought), false);
  }
  function onKeyDown(event: KeyboardEvent<HTMLInputElement>) {
    const { key } = event;
    const isHeld = event.shiftKey || hasModifier(event);
    if (key === "Enter" && (event.ctrlKey || event.metaKey)) void submit(true);
    else if (key === "Escape" && shown) setOpen(false);
    else if (!isHeld && (key === "ArrowDown" || key === "ArrowUp")) {
      setOpen(true);
      const step = key === "ArrowDown" ? 1 : -1;
      // The field itself is -1.
      const places = options.length + 1;
      setActive(((active + 1 + step + places) % places) - 1);
    } else return;
    event.preventDefault();
  }
  const optionId = (at: number) => `${id}-option-${at}`;
  return (
    <search className="relative block">
      <form
        action={withBase(SEARCH_PATH)}
        onSubmit={(event) => {
          event.preventDefault();
          void submit(false);
        }}
        onBlur={({ relatedTarget, currentTarget }) => {
          if (!currentTarget.contains(relatedTarget)) setOpen(false);
        }}
      >
        <label htmlFor={id} className="sr-only">
          Search an address, a block{terms.hasTokens ? ", a transaction or a token" : " or a transaction"}
        </label>
        <div className="relative text-text-3">
          <span
            className={`pointer-events-none absolute inset-y-0 flex items-center ${large ? "left-4" : "left-3"}`}
          >
            <SearchIcon />
          </span>
          <Field
            ref={field}
            id={id}
            type="search"
            name="q"
            value={text}
            maxLength={MAX_SEARCH_TEXT}
            onChange={(event) => {
              setText(event.target.value);
              setActive(-1);
              setOpen(true);
            }}
            onFocus={() => setOpen(true)}
            onKeyDown={onKeyDown}
            data-shortcut="/"
            role="combobox"
            aria-autocomplete="list"
            aria-invalid={results.length === 0 && messages.length > 0 && !isFetching}
            aria-expanded={shown}
            aria-controls={`${id}-list`}
            aria-activedescendant={shown && active >= 0 ? optionId(active) : undefined}
            placeholder={
              terms.hasTokens ? "Address, block, transaction or token" : "Address, block or transaction"
            }
            size={large ? "large" : "medium"}
            className={`w-full ${large ? "!ps-11 md:!pe-18" : "!ps-9 md:!pe-18"}`}
          />
          <span
            aria-hidden="true"
            className={`${KEY} pointer-events-none absolute inset-y-0 right-3 my-auto`}
          >
            Ctrl K
          </span>
        </div>
        <div
          className={`absolute inset-x-0 top-full z-40 mt-1.5 overflow-hidden ${MENU} ${shown ? "" : "hidden"}`}
        >
          <div
            id={`${id}-list`}
            role="listbox"
            aria-label="Results"
            aria-busy={isFetching}
            className={isFetching ? "opacity-60" : ""}
          >
            {options.map(({ href, found, title }, at) => (
              // biome-ignore lint/a11y/useKeyWithClickEvents: the field handles keys
              <div
                // biome-ignore lint/suspicious/noArrayIndexKey: the active option is identified by its index
                key={at}
                id={optionId(at)}
                role="option"
                tabIndex={-1}
                aria-selected={at === active}
                className={`${MENU_ITEM} flex min-h-11 cursor-pointer items-center aria-selected:bg-sunken`}
                onMouseMove={() => setActive(at)}
                onMouseDown={(event) => event.preventDefault()}
                onClick={(event) => go(href, event.ctrlKey || event.metaKey)}
              >
                {found ? (
                  <FoundRow found={found} sought={bareText(sought)} />
                ) : (
                  <span className="flex-1 font-medium text-accent">{title}</span>
                )}
                {at === entered && (
                  <span aria-hidden="true" className={`${KEY} ml-3 flex-none`}>
                    ↵
                  </span>
                )}
              </div>
            ))}
          </div>
          {options.length > 0 && entered < 0 && (
            <p className={`${MENU_ITEM} text-text-3`}>Enter lists {countOf(results.length, "result")}.</p>
          )}
          {messages.map((message) => (
            <p key={message} className={`${MENU_ITEM} text-text-2`}>
              {message}
            </p>
          ))}
        </div>
        <p role="status" className="sr-only">
          {shown &&
            !isFetching &&
            [
              own !== undefined && "Enter opens this link.",
              results.length > 0 && `${countOf(results.length, "result")}.`,
              ...messages,
            ]
              .filter(Boolean)
              .join(" ")}
        </p>
      </form>
    </search>
  );
}
