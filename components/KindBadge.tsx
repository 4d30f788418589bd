import { terms } from "#terms";
import { Chip } from "./ui/Chip.tsx";

/** Characters that fit beside any id. */
const SHORT = 8;

/** What an output is. Nothing if the index does not know. */
export function KindBadge({ kind = "" }: { kind: string | undefined }) {
  const shown = terms.outputKind(kind);
  return (
    shown && (
      <Chip data-kind={kind} title={shown.about} className="min-w-0 max-lg:px-1">
        {shown.label.length <= SHORT ? shown.label : <span className="truncate">{shown.label}</span>}
      </Chip>
    )
  );
}
