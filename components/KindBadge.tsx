import { terms } from "#chain/terms.ts";
import { Chip } from "./ui/Chip.tsx";

/** What an output is. Nothing if the index does not know. */
export function KindBadge({ kind = "" }: { kind: string | undefined }) {
  const shown = terms.outputKind(kind);
  return (
    shown && (
      <Chip data-kind={kind} title={shown.about} className="min-w-0 max-md:px-1">
        <span className="truncate">{shown.label}</span>
      </Chip>
    )
  );
}
