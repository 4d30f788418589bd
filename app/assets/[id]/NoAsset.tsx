import { terms } from "#terms";
import { NotFoundPage } from "../../NotFoundPage.tsx";

/** Says that the id of a link names no asset. `isEmpty`: nothing is indexed. */
export const NoAsset = ({ isEmpty }: { isEmpty: boolean }) => (
  <NotFoundPage
    isEmpty={isEmpty}
    heading={`${terms.hasTokens ? "Token" : "Asset"} not found`}
    title={`No indexed block has ${terms.hasTokens ? "a token or a collection" : "an asset"} with this id.`}
  >
    An id begins with 0x and has only hex digits.
  </NotFoundPage>
);
