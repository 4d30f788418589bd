"use client";

import { useQuery } from "@tanstack/react-query";
import { useParams } from "next/navigation";
import { ButtonLink } from "#components/Link.tsx";
import { MessagePage } from "#components/ui/MessagePage.tsx";
import { RequestError, request } from "#lib/client/request.ts";
import { decodePart } from "#lib/util/paths.ts";

/** Characters of a wrong address that the page repeats. */
const SHOWN_UNITS = 256;

/** A client component, because the framework passes it no parameters. The API says what is wrong with the address. */
export default function NotFound() {
  const address = decodePart(useParams<{ address: string }>().address).trim();
  const { error } = useQuery({
    queryKey: ["why-no-address", address],
    queryFn: ({ signal }) => request("/v0/addresses/{address}/utxos", { address }, { pageSize: 1 }, signal),
    retry: false,
  });
  const reason = error instanceof RequestError ? error.issues[0]?.message : undefined;
  return (
    <MessagePage
      heading="Not a valid address of this chain"
      tone="bad"
      title={reason ?? "This is not an address of this network"}
      actions={<ButtonLink href="/">Look up another</ButtonLink>}
    >
      <p className="mono break-all">{address.slice(0, SHOWN_UNITS)}</p>
    </MessagePage>
  );
}
