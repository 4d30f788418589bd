import { Amount } from "#components/Amount.tsx";
import { AddressFact, Fact } from "#components/Fact.tsx";
import { FactList } from "#components/ui/FactList.tsx";
import { Section } from "#components/ui/Section.tsx";
import { getService } from "#lib/api/service.ts";
import { capitalised, countOf } from "#lib/client/format.ts";
import type { ParsedAddress } from "#lib/contract/chain.ts";
import type { AddressOverview } from "#lib/queries/address-overview.ts";
import { capacityByKind } from "#lib/queries/address-utxos/states.ts";
import { MAX_AGED_OUTPUTS, outputAges } from "#lib/queries/output-ages.ts";
import type { KindSum } from "#lib/queries/stored-kinds.ts";
import { terms } from "#terms";
import type { ShownNative } from "./columns.tsx";
import { OutputsByAge } from "./OutputsByAge.tsx";

interface Props {
  address: ParsedAddress;
  native: ShownNative;
  overview: AddressOverview;
  isPast: boolean;
}

const AGE_COLUMNS = 24;

/** The parts of the lock; and as of the tip, the kinds and ages of the outputs. */
export async function Lock({ address, native, overview, isPast }: Props) {
  const { store } = await getService();
  const [byKind, ages] = isPast
    ? []
    : await Promise.all([
        capacityByKind(store, address),
        store.query(outputAges, { addressKey: address.key, ranges: AGE_COLUMNS }),
      ]);
  const kinds = byKind?.kinds;
  const title = `${capitalised(terms.output.many)} by age`;
  return (
    <div className="grid gap-x-12 gap-y-10 pt-4 lg:grid-cols-2">
      <Section title="Parts">
        <FactList>
          <AddressFact address={address.text} />
          {address.lockFacts.map((fact) => (
            <Fact key={fact.name} {...fact} />
          ))}
        </FactList>
      </Section>
      <Section title={`${native.symbol} by kind of ${terms.output.one}`}>
        {isPast && <p className="text-text-2">Available for the newest block only.</p>}
        {kinds === null && <p className="text-text-2">Too many {terms.output.many} to add up.</p>}
        {kinds && (
          <table className="w-full">
            <tbody>
              {[...Map.groupBy(kinds, labelOf)].map(([label, sums]) => (
                <tr key={label} className="border-b">
                  <th scope="row" className="py-2 text-start font-medium">
                    {label}
                  </th>
                  <td className="text-end text-text-2">
                    {countOf(
                      sums.reduce((count, { outputCount }) => count + outputCount, 0),
                      terms.output,
                    )}
                  </td>
                  <td className="ps-4 text-end">
                    <Amount
                      amount={sums.reduce((sum, { capacity }) => sum + BigInt(capacity), 0n)}
                      decimals={native.decimals}
                    />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </Section>
      {ages !== undefined && overview.outputCount > 1 && (
        <Section title={title} className="lg:col-span-2">
          {ages ? (
            <OutputsByAge title={title} address={address.text} ages={ages} />
          ) : (
            <p className="text-text-2">
              Not counted: there are more than {countOf(MAX_AGED_OUTPUTS, terms.output)} here.
            </p>
          )}
        </Section>
      )}
    </div>
  );
}

const labelOf = ({ kind }: KindSum): string => terms.outputKind(kind)?.label ?? "Unknown";
