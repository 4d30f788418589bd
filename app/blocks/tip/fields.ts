import { textField } from "#lib/client/url-state.ts";

/** Parameters of the newest block's page. Those of the open tab come on top. */
export const tipFields = {
  /** Hash of the block that a reader who paused is reading; `""` while the page follows the newest one. */
  paused: textField,
};
