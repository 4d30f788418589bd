"use client";

import type { RowData } from "@tanstack/react-table";
import { type ComponentProps, Fragment, type ReactNode, useId, useState } from "react";
import { CopyButton } from "#components/CopyButton.tsx";
import { ApiIcon } from "#components/icons.tsx";
import { ColumnChooser } from "#components/table/ColumnChooser.tsx";
import type { TableProps } from "#components/table/DataTable.tsx";
import type { DataTableOptions, DataTableState } from "#components/table/use-data-table.ts";
import { Button } from "#components/ui/Button.tsx";
import { curlOf } from "#lib/client/request.ts";
import type { FieldsOf } from "#lib/client/url-state.ts";
import { ExportButton } from "./ExportButton.tsx";
import type { Exportable } from "./exportable.ts";
import { FindButton } from "./FindButton.tsx";
import type { Worth } from "./worth.ts";

/** Controls of fields of a view, in the toolbar's order. */
export type Controls<View> = { [Name in keyof View]?: ReactNode };

export interface ListViewProps<Entry extends RowData, View>
  extends Pick<TableProps<Entry>, "caption" | "facts" | "details" | "copyOf" | "blockOf" | "marked">,
    Omit<DataTableOptions<Entry>, "idOf"> {
  tableClass?: string;
  controls: Controls<View>;
  filters?: ReactNode;
  worthOf: (entry: Entry) => Worth;
  empty: ReactNode;
}

interface Props<Entry extends RowData, View> {
  list: { view: View; fields: FieldsOf<View>; source: Exportable<Entry> };
  controls: Controls<View>;
  className: string;
  table: DataTableState<Entry>;
  /** Shows a row that the reader searched for. Without it, the browser's own search finds all rows. */
  onFound?: ComponentProps<typeof FindButton>["onFound"];
  /** Chips of the filters. Narrow windows show them below the controls. */
  filters?: ReactNode;
  aside?: ReactNode;
}

/** Actions on a whole list, for the line of its tabs or title. */
export function ListActions<Entry>({ source }: { source: Exportable<Entry> }) {
  return (
    <>
      <ExportButton source={source} />
      <ApiButton query={source.query} />
    </>
  );
}

/** Copies the request of a view. `query`: its path and query. */
export function ApiButton({ query }: { query: string }) {
  return (
    <CopyButton
      text={() => curlOf(window.location.origin, query)}
      label="this view as cURL"
      shortcut="y"
      sign={<ApiIcon />}
      tone="bare"
    >
      API
    </CopyButton>
  );
}

/** The controls of a list. Narrow windows show them behind one button. */
export function Toolbar<Entry extends RowData, View>(props: Props<Entry, View>) {
  const { controls, className, table, onFound, filters, aside } = props;
  const { view, fields, source } = props.list;
  const [open, setOpen] = useState(false);
  const id = useId();
  const shown = (Object.keys(controls) as (keyof View & string)[]).filter((name) => controls[name]);
  // Fields that are empty by default filter rows; the others sort them.
  const hiding = shown.filter(
    (name) => String(fields[name].defaultValue) === "" && String(view[name]) !== "",
  ).length;
  return (
    // The filters are printed, and the remark, which says how much of the list is there.
    <div
      className={`flex flex-wrap items-center gap-2 bg-bg py-2 print:static print:[&>:not([data-printed])]:hidden ${className}`}
    >
      {shown.length > 0 && (
        <Button className="sm:hidden" aria-expanded={open} aria-controls={id} onClick={() => setOpen(!open)}>
          Filters{hiding > 0 && ` (${hiding})`}
        </Button>
      )}
      <div id={id} className={`contents ${open ? "" : "max-sm:hidden"}`}>
        {shown.map((name) => (
          <Fragment key={name}>{controls[name]}</Fragment>
        ))}
      </div>
      <ColumnChooser table={table} />
      {onFound && <FindButton table={table} csv={source.list.csv} onFound={onFound} />}
      <div
        data-printed=""
        className="flex min-w-0 gap-2 *:min-w-0 empty:hidden max-lg:order-last max-lg:basis-full max-lg:flex-wrap"
      >
        {filters}
      </div>
      {aside && (
        <div data-printed="" className="ml-auto flex flex-wrap items-center gap-x-3 text-text-2">
          {aside}
        </div>
      )}
    </div>
  );
}
