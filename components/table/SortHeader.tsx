import type { SortedColumn } from "./columns.ts";

// The arrow has no text alternative, because `aria-sort` or a text beside the button states the order.
const ARROWS = {
  asc: "text-text-2 after:content-['↑'/'']",
  desc: "text-text-2 after:content-['↓'/'']",
  either: "text-text-2 after:content-['↕'/'']",
  none: "hover:text-text-2",
};

interface Props {
  column: SortedColumn;
  name: string;
  /** The order that a click chooses. */
  next: string;
  /** Adds an arrow while the list has an order of its own. */
  isMarked?: boolean;
  /** The key that sorts, too. */
  shortcut?: string;
}

/** A header that sorts by its column. */
export function SortHeader({ column, name, next, isMarked = false, shortcut }: Props) {
  return (
    <button
      type="button"
      className={`inline-flex min-h-6 items-center gap-1 font-medium ${ARROWS[column.getIsSorted() || (isMarked ? "either" : "none")]}`}
      data-shortcut={shortcut}
      title={`Next: ${next}`}
      onClick={() => column.toggleSorting()}
    >
      {name}
    </button>
  );
}

/** Names of the orders by the place in the chain. */
export const PLACE_ORDERS = { desc: "Newest first", asc: "Oldest first" };

/** The header of a column that sorts by the place in the chain. */
export const placeHeader = (label: string, orders = PLACE_ORDERS) => ({
  header: ({ column }: Pick<Props, "column">) => (
    <SortHeader
      column={column}
      name={label}
      next={column.getIsSorted() === "desc" ? orders.asc : orders.desc}
    />
  ),
  label,
  sortable: true,
});
