import { cookieOf, type PreferenceName } from "#lib/client/preferences.ts";
import { urlOf } from "../sites.ts";
import { states, windows } from "../states.ts";
import { expectAccessible, expectNoSidewaysScroll, test } from "../support.ts";

/** A phone and a laptop; with `E2E_WIDTHS=all`, a tablet and a wide screen, too, which takes twice as long. */
const looked = windows.filter(
  ({ viewport }) => process.env.E2E_WIDTHS === "all" || [390, 1280].includes(viewport.width),
);

for (const window of looked) {
  const { width } = window.viewport;
  for (const state of states.filter(({ notByTouch }) => !(notByTouch && window.hasTouch))) {
    const { name, site = "demo", access = "full", preferences = {}, path, before, reach, failures } = state;
    test.describe(`${name} at ${width} px`, () => {
      test.use({
        ...window,
        site,
        access,
        failuresExpected: failures ?? false,
        permissions: ["clipboard-read", "clipboard-write"],
      });

      test("has no accessibility fault in either theme", async ({ page, context, facts }) => {
        await context.addCookies(
          Object.entries(preferences).map(([preference, value]) => ({
            name: cookieOf(preference as PreferenceName),
            value,
            url: urlOf(site),
          })),
        );
        await before?.(page, facts);
        await page.goto(typeof path === "string" ? path : path(facts));
        await reach?.(page, facts);
        await expectAccessible(page);
        await expectNoSidewaysScroll(page);
      });
    });
  }
}
