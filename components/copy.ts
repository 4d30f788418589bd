import { announce } from "./announce.ts";

/** Puts text on the clipboard, with or without HTTPS. False if the browser refuses. */
async function copyText(text: string): Promise<boolean> {
  if (navigator.clipboard) {
    const written = await navigator.clipboard.writeText(text).then(
      () => true,
      () => false,
    );
    if (written) return true;
  }
  // Browsers offer the clipboard to secure pages only, but any page can copy a selection.
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

/** Copies text and says so; `what` names it: `out point`. `visibly`: the page would not show it otherwise. */
export async function copyAndSay(text: string, what: string, visibly = true): Promise<boolean> {
  const copied = await copyText(text);
  announce(copied ? `Copied ${what}` : `Could not copy ${what}`, visibly);
  return copied;
}
