"use client";

import { useAtTip, useTip } from "#components/chain-tip.ts";
import { type Standing, useChanged } from "#components/list/standing.ts";
import { chainChanged } from "#components/ReplacedNews.tsx";
import { Button } from "#components/ui/Button.tsx";
import { DismissibleNews } from "#components/ui/NewsBar.tsx";
import { capitalised, formatCount } from "#lib/client/format.ts";
import { listChange } from "#lib/client/queries.ts";
import type { ListNews } from "#lib/client/status.ts";
import type { IndexTip } from "#lib/contract/ledger.ts";
import { terms } from "#terms";

interface Props {
  /** The live outputs, or everything that happened to outputs. */
  of: "outputs" | "history";
  address: string;
  /** Only changes of this token; `""` for all. */
  token: string;
  /** The blocks that the page or the rows of the list were read at, lowest first. */
  read: readonly IndexTip[];
  /** The list that was read. A reorganisation is announced only if it changed the list's rows. */
  list?: Standing;
  onReload: () => void;
}

/** New blocks do not move rows. Instead, a bar at the foot of the window announces what they changed. */
export function ChangeBar({ of, address, token, read, list, onReload }: Props) {
  const { data: change } = useAtTip(listChange(address, token, read, useTip()));
  const isReplaced = change?.kind === "replaced";
  const isChanged = useChanged(list, isReplaced);
  if (!change || change.kind === "none" || (isReplaced && !isChanged)) return null;
  const text = change.kind === "replaced" ? chainChanged(change.height) : newsOf(of, change);
  if (text === "") return null;
  return <DismissibleNews action={<Button onClick={onReload}>Refresh</Button>} text={text} />;
}

/** The news in words, such as `12 new, 3 spent`; `""` if there are none. */
function newsOf(of: Props["of"], { passed, more, ...listed }: ListNews): string {
  const between = of === "history" ? passed : 0;
  const [came, left] = [listed.came + between, listed.left + between];
  if (came + left === 0) return more ? "Many new transactions" : "";
  const atLeast = more ? "at least " : "";
  const nounFor = (count: number) => (count === 1 ? terms.output.one : terms.output.many);
  const created = came > 0 && `${atLeast}${formatCount(came)} new ${nounFor(came)}`;
  const noun = created ? "" : `${nounFor(left)} `;
  const spent = left > 0 && `${atLeast}${formatCount(left)} ${noun}spent`;
  return capitalised([created, spent].filter(Boolean).join(", "));
}
