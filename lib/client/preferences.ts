/** The reader's settings for this browser. Kept in cookies, so that the server can render them without a flash. */
export const preferences = {
  theme: ["system", "light", "dark"],
  density: ["compact", "comfortable"],
  times: ["utc", "local"],
  shortcuts: ["on", "off"],
  autoload: ["on", "off"],
} as const;

export type PreferenceName = keyof typeof preferences;
export type Preferences = { [Name in PreferenceName]: (typeof preferences)[Name][number] };

const YEAR_SECONDS = 365 * 86_400;

export function cookieOf(name: PreferenceName): string {
  return `aqs_${name}`;
}

/** The stored choice, or the first choice if nothing valid is stored. */
function readPreference<Name extends PreferenceName>(
  name: Name,
  stored: string | undefined,
): Preferences[Name] {
  const choices: readonly string[] = preferences[name];
  return (stored !== undefined && choices.includes(stored) ? stored : choices[0]) as Preferences[Name];
}

export function readPreferences(cookie: (name: string) => string | undefined): Preferences {
  const read = <Name extends PreferenceName>(name: Name) => readPreference(name, cookie(cookieOf(name)));
  return {
    theme: read("theme"),
    density: read("density"),
    times: read("times"),
    shortcuts: read("shortcuts"),
    autoload: read("autoload"),
  };
}

/** Browser only: stores a choice for a year, and applies it at once if it only affects styles. */
export function writePreference<Name extends PreferenceName>(name: Name, value: Preferences[Name]): void {
  // biome-ignore lint/suspicious/noDocumentCookie: not every browser has the Cookie Store API yet
  document.cookie = `${cookieOf(name)}=${value}; Path=/; Max-Age=${YEAR_SECONDS}; SameSite=Strict`;
  document.documentElement.dataset[name] = value;
}
