/**
 * A view's state in the address bar. A field that the query does not name has its default, and so has one whose
 * text is no value of it; defaults are left out of the query; parameters of other names stay as they are.
 */
export interface Field<Value> {
  fallback: Value;
  /** Undefined if the text is no value of the field. */
  read(text: string): Value | undefined;
  write(value: Value): string;
}

export type Fields = Record<string, Field<unknown>>;
export type ValuesOf<Of extends Fields> = { [Name in keyof Of]: Of[Name]["fallback"] };
/** Null stands for the default. */
export type Changes<Of extends Fields> = { [Name in keyof Of]?: Of[Name]["fallback"] | null };

export const textField: Field<string> = { fallback: "", read: (text) => text, write: (text) => text };

/** One of a few words; the first is the default. */
export function choiceField<const Choice extends string | number>(
  choices: readonly [Choice, ...Choice[]],
): Field<Choice> {
  return {
    fallback: choices[0],
    read: (text) => choices.find((choice) => String(choice) === text),
    write: String,
  };
}

/** A positive integer; 1 is the default. */
export const pageField: Field<number> = {
  fallback: 1,
  read: (text) => (/^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined),
  write: String,
};

/** Texts with commas between them; a comma within one is written as `%2C`, and `%` as `%25`. */
export const listField: Field<string[]> = {
  fallback: [],
  read: (text) =>
    text
      .split(",")
      .filter((one) => one !== "")
      .map((one) => one.replaceAll(/%2c/gi, ",").replaceAll("%25", "%")),
  write: (list) => list.map((one) => one.replaceAll("%", "%25").replaceAll(",", "%2C")).join(","),
};

/** The values in a page's query. */
export function readUrlState<Of extends Fields>(fields: Of, search: URLSearchParams): ValuesOf<Of> {
  const read = Object.entries(fields).map(([name, field]) => {
    const text = search.get(name);
    return [name, (text === null ? undefined : field.read(text)) ?? field.fallback];
  });
  return Object.fromEntries(read) as ValuesOf<Of>;
}

/** Escapes that a query does not need: a link is easier to read without them. */
const READABLE = /%(?:2C|2F|3A|3F|40|5B|5D)/g;

/** Whether two states are the same view. */
export function isSameState<Of extends Fields>(fields: Of, one: ValuesOf<Of>, other: ValuesOf<Of>): boolean {
  return changeUrlState(fields, "", one) === changeUrlState(fields, "", other);
}

/** How many of these fields differ from their default. */
export function countChosen<Of extends Fields>(
  fields: Of,
  values: ValuesOf<Of>,
  names: readonly (keyof Of)[],
): number {
  const isChosen = (name: keyof Of) => {
    const field = fields[name];
    return field !== undefined && field.write(values[name]) !== field.write(field.fallback);
  };
  return names.filter(isChosen).length;
}

/** The query after the changes, with its `?`; `""` if nothing is left. */
export function changeUrlState<Of extends Fields>(fields: Of, search: string, changes: Changes<Of>): string {
  const parameters = new URLSearchParams(search);
  for (const [name, value] of Object.entries(changes)) {
    const field = fields[name];
    if (!field || value === undefined) continue;
    const text = field.write(value ?? field.fallback);
    if (text === field.write(field.fallback)) parameters.delete(name);
    else parameters.set(name, text);
  }
  return parameters.size === 0 ? "" : `?${parameters.toString().replaceAll(READABLE, decodeURIComponent)}`;
}
