import { answerIcon, getIcons, signInForIcons } from "#lib/api/icons.ts";
import { toResponse } from "#lib/api/route.ts";
import { getService } from "#lib/api/service.ts";
import { currentCaller, decodePart } from "../../caller.ts";

interface Context {
  params: Promise<{ assetId: string }>;
}

/** An asset's icon as a picture of our own, for who may read a page that shows it. */
export async function GET(request: Request, { params }: Context): Promise<Response> {
  if (!(await currentCaller())) return toResponse(signInForIcons());
  const assetId = decodePart((await params).assetId);
  const service = await getService();
  return toResponse(
    await answerIcon(service, getIcons(service), assetId, request.headers.get("if-none-match")),
  );
}
