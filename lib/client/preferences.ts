/** The reader's settings for this browser; the first choice is the default. */
export const preferences = {
  theme: ["system", "light", "dark"],
  density: ["comfortable", "compact"],
  times: ["utc", "local"],
  shortcuts: ["on", "off"],
} as const;

export type PreferenceName = keyof typeof preferences;
export type Preferences = { [Name in PreferenceName]: (typeof preferences)[Name][number] };

const YEAR_SECONDS = 365 * 86_400;

/** Settings are cookies, so that the server renders them without a flash. */
export const cookieOf = (name: PreferenceName): string => `aqs_${name}`;

/** The stored choices; the default for each that is missing or invalid. */
export function readPreferences(cookie: (name: string) => string | undefined): Preferences {
  const read = Object.entries(preferences).map(([name, choices]) => {
    const stored = cookie(cookieOf(name as PreferenceName));
    return [name, choices.find((choice) => choice === stored) ?? choices[0]];
  });
  return Object.fromEntries(read) as Preferences;
}

/** Browser only: stores a choice for a year, and applies it at once if it only affects styles. */
export function writePreference<Name extends PreferenceName>(name: Name, value: Preferences[Name]): void {
  // biome-ignore lint/suspicious/noDocumentCookie: not every browser has the Cookie Store API yet
  document.cookie = `${cookieOf(name)}=${value}; Path=/; Max-Age=${YEAR_SECONDS}; SameSite=Strict`;
  document.documentElement.dataset[name] = value;
}
