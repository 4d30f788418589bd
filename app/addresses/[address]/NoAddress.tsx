import { limitText } from "#lib/contract/texts.ts";
import { NotFoundPage } from "../../NotFoundPage.tsx";

/** Characters of a wrong address that the page repeats. */
const SHOWN = 256;

/** Says what is wrong with the address of a link. */
export const NoAddress = ({ text, reason }: { text: string; reason: string }) => (
  <NotFoundPage heading="Not a valid address of this chain" tone="bad" title={reason}>
    <p className="mono break-all">{limitText(text, SHOWN)}</p>
  </NotFoundPage>
);
