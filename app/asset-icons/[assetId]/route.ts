import { answerIcon, signInForIcons } from "#lib/api/icons.ts";
import { toResponse } from "#lib/api/route.ts";
import { getService } from "#lib/api/service.ts";
import { currentCaller, decodePart } from "../../caller.ts";

interface Context {
  params: Promise<{ assetId: string }>;
}

/** An asset's icon, for anyone who may read a page that shows it. */
export async function GET(request: Request, { params }: Context): Promise<Response> {
  if (!(await currentCaller())) return toResponse(signInForIcons());
  const assetId = decodePart((await params).assetId);
  const { store } = await getService();
  return toResponse(await answerIcon(store, assetId, request.headers.get("if-none-match")));
}
