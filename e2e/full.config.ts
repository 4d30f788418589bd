import { defineConfig } from "@playwright/test";
import config, { projectsWithout, serversOf } from "./playwright.config.ts";

/** Campaigns: every state of the pages, every width, both themes, long lists on paper, the demo as a whole. */
export default defineConfig({
  ...config,
  testDir: "full",
  projects: projectsWithout(""),
  webServer: serversOf(),
});
