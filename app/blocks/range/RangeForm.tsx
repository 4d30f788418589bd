import { Button } from "#components/ui/Button.tsx";
import { Field } from "#components/ui/Field.tsx";
import { Segments } from "#components/ui/Segments.tsx";
import { withBase } from "#lib/client/base-path.ts";
import { formatCount } from "#lib/client/format.ts";

/** Numbers of blocks up to the tip. */
const LENGTHS = [10, 100, 1_000];

interface Props {
  tip: { height: number } | null;
  /** The open range. */
  after: number | null;
  to: number | null;
}

/** Opens the last blocks, or any others; works without scripts. */
export function RangeForm({ tip, after, to }: Props) {
  return (
    <div className="flex flex-wrap items-center gap-x-6 gap-y-2 print:hidden">
      {tip && (
        <Segments
          label="Ranges up to the newest block"
          choices={LENGTHS.filter((length) => length <= tip.height).map((length) => ({
            href: `/blocks/range?from=${tip.height - length}&to=${tip.height}`,
            title: `Last ${formatCount(length)}`,
            current: to === tip.height && after === tip.height - length,
          }))}
        />
      )}
      <form action={withBase("/blocks/range")} className="flex flex-wrap items-center gap-2 text-text-2">
        <label className="flex items-center gap-2">
          After block
          <Field name="from" defaultValue={after === null || after < 0 ? "" : after} className="w-32" />
        </label>
        <label className="flex items-center gap-2">
          up to
          <Field name="to" defaultValue={to ?? ""} className="w-32" />
        </label>
        <Button type="submit">Show</Button>
      </form>
    </div>
  );
}
