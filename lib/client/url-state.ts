/** A view's state in the address bar. Missing or invalid values become the default. */
import {
  createLoader,
  createParser,
  createSerializer,
  type inferParserType,
  type ParserMap,
  parseAsNumberLiteral,
  parseAsString,
  parseAsStringLiteral,
  type SingleParserBuilder,
} from "nuqs/server";

/** A parameter of the address bar. `parse` returns null for invalid text. */
export type Field<Value> = Pick<SingleParserBuilder<Value>, "parse" | "serialize" | "eq"> & {
  readonly defaultValue: Value;
};

export type FieldsOf<View> = { readonly [Name in keyof View]: Field<View[Name]> };

export const textField: Field<string> = parseAsString.withDefault("");

/** A text of limited length, in UTF-16 code units. */
export const textFieldUpTo = (max: number): Field<string> =>
  createParser({ parse: (text) => (text.length <= max ? text : null), serialize: String }).withDefault("");

/** One of several words; the first is the default. */
export function choiceField<const Choice extends string>(
  choices: readonly [Choice, ...Choice[]],
): Field<Choice> {
  return parseAsStringLiteral(choices).withDefault(choices[0]);
}

/** One of several numbers; the first is the default. */
export function numberField<const Choice extends number>(
  choices: readonly [Choice, ...Choice[]],
): Field<Choice> {
  return parseAsNumberLiteral(choices).withDefault(choices[0]);
}

export const pageField: Field<number> = createParser({
  parse: (text) => (/^[1-9]\d{0,8}$/.test(text) ? Number(text) : null),
  serialize: String,
}).withDefault(1);

/** The parameter of a numbered page, for a link. The first page needs none. */
export const pageParameter = (page: number) => ({ page: page === 1 ? "" : String(page) });

/** The place of the reader in a list that grows by cursor. */
export const placeFields = {
  /** The cursor that the list starts after; in some lists also the id of an entry. */
  from: textField,
  /** The number of the first row in the whole list; 1 if unknown. */
  row: pageField,
  /** Number of rows from there to the one that was read. */
  skip: createParser({
    parse: (text) => (/^[1-9]\d{0,3}$/.test(text) ? Number(text) : null),
    serialize: String,
  }).withDefault(0),
};

/** Removes the place; for `changeParameters`. */
export const NO_PLACE = { from: "", row: "", skip: "" } satisfies Record<keyof typeof placeFields, "">;

/** Removes what a redirect said about blocks that the link named; for `changeParameters`. */
export const NO_NOTICE = { missing: "", forked: "" };

/** Texts separated by commas. A comma within a text is written as `%2C`, and `%` as `%25`. */
export const listField: Field<string[]> = createParser({
  parse: (text) =>
    text
      .split(",")
      .filter((one) => one !== "")
      .map((one) => one.replaceAll(/%2c/gi, ",").replaceAll("%25", "%")),
  serialize: (list: string[]) =>
    list.map((one) => one.replaceAll("%", "%25").replaceAll(",", "%2C")).join(","),
  eq: (one, other) => one.join() === other.join(),
}).withDefault([]);

const parsersOf = (fields: object) => fields as ParserMap;

export function readView<View>(fields: FieldsOf<View>, search: URLSearchParams): View {
  return createLoader(parsersOf(fields))(search) as View;
}

/** Path and query after changes. Null stands for the default, which is left out. */
export function changeView<View>(
  fields: FieldsOf<View>,
  path: string,
  changes: { [Name in keyof View]?: View[Name] | null },
): string {
  return createSerializer(parsersOf(fields))(path, changes as inferParserType<ParserMap>);
}

/** Path and query after changes of any parameters; `""` removes one. */
export function changeParameters(path: string, changes: Record<string, string>): string {
  const fields = Object.fromEntries(Object.keys(changes).map((name) => [name, textField]));
  return changeView<Record<string, string>>(fields, path, changes);
}
