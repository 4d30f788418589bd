import { announce } from "./announce.ts";

/** Puts text on the clipboard, with or without HTTPS. Returns false if the browser refuses. */
async function copyText(text: string): Promise<boolean> {
  if (navigator.clipboard) {
    const written = await navigator.clipboard.writeText(text).then(
      () => true,
      () => false,
    );
    if (written) return true;
  }
  // Only secure pages have the clipboard API, but every page can copy a selection.
  const area = document.createElement("textarea");
  area.value = text;
  area.style.position = "fixed";
  area.style.opacity = "0";
  const focused = document.activeElement;
  document.body.append(area);
  area.select();
  const copied = document.execCommand("copy");
  area.remove();
  if (focused instanceof HTMLElement) focused.focus();
  return copied;
}

/** Copies text and announces it as `what`, such as `out point`. `visibly` also shows the announcement. */
export async function copyAndSay(text: string, what: string, visibly = true): Promise<boolean> {
  const copied = await copyText(text);
  announce(copied ? `Copied ${what}` : `Could not copy ${what}`, visibly);
  return copied;
}
