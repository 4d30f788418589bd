import { useMemo } from "react";
import { EndlessListView, useEndlessList } from "#components/list/endless.tsx";
import { type Controls, ListActions } from "#components/list/Toolbar.tsx";
import { Button } from "#components/ui/Button.tsx";
import { Chip } from "#components/ui/Chip.tsx";
import { Notice } from "#components/ui/Notice.tsx";
import { cutId, cutToText } from "#lib/client/format.ts";
import type { ViewOf } from "#lib/client/list.ts";
import type { StatementLine } from "#lib/questions/address-statement/contract.ts";
import { terms } from "#terms";
import type { ListTabProps } from "../holdings/Holdings.tsx";
import { NothingIndexed } from "../Nothing.tsx";
import { Range, type RangeProps } from "../Range.tsx";
import { STATEMENT_TABLE, type StatementFacts, statementColumns } from "./columns.tsx";
import { LineDetails } from "./LineDetails.tsx";
import { statementList } from "./list.ts";

const LINE = { one: "line", many: "lines" };
const details = (line: StatementLine) => <LineDetails line={line} />;

/** What each block brought and took, by token: each line opens with what the token's last one closed with. */
export function Statement({ holdings, flagsOf, strip, ...range }: ListTabProps & RangeProps) {
  const { address } = holdings;
  const list = useEndlessList(statementList, { address }, null);
  const { view, change } = list;
  const columns = useMemo(() => statementColumns(terms.hasTokens), []);
  const facts = useMemo<StatementFacts>(() => ({ address, flagsOf }), [address, flagsOf]);
  const controls: Controls<ViewOf<typeof statementList>> = {
    token: null,
    since: <Range {...range} since={view.since} whole="All" />,
    to: null,
    at: null,
    from: null,
    row: null,
  };
  return (
    <>
      {strip(<ListActions source={list.source} />)}
      <EndlessListView
        list={list}
        rows={list.rows}
        total={null}
        noun={LINE}
        caption="Statement"
        columns={columns}
        facts={facts}
        details={details}
        tableClass={STATEMENT_TABLE}
        controls={controls}
        filters={
          view.token !== "" && (
            <div className="mb-2">
              <Chip size="large">
                Only <span className="mono">{cutToText(cutId(view.token))}</span>
                <Button tone="bare" size="narrow" onClick={() => change({ token: "" })}>
                  All tokens
                </Button>
              </Chip>
            </div>
          )
        }
        empty={
          list.tip === null ? (
            <NothingIndexed />
          ) : (
            <Notice bare tone="neutral" title="Nothing came in or went out">
              No block of this range created or spent outputs of the address.
            </Notice>
          )
        }
      />
    </>
  );
}
