/** Characters that a reader cannot see. */

// A variation selector after a pictograph is part of an emoji. All other characters without width are hidden text.
export const controls = /[\p{Cc}\u2028\u2029]/gu;
export const invisible =
  /(?<!\p{Extended_Pictographic})[\uFE0E\uFE0F]|(?![\uFE0E\uFE0F])[\p{Default_Ignorable_Code_Point}\u2800\uFFF9-\uFFFB]/gu;

export const withoutHidden = (text: string): string =>
  text.toWellFormed().replace(controls, "").replace(invisible, "");
