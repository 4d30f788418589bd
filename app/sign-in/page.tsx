import type { Metadata } from "next";
import { redirect } from "next/navigation";
import { refusals } from "#lib/api/access-tokens.ts";
import { safePath } from "#lib/util/paths.ts";
import { aqs } from "#lib/util/program.ts";
import { terms } from "#terms";
import { currentCaller, isGuest } from "../caller.ts";
import { SHARE_IMAGE_SIZE } from "../share-image.tsx";
import { BlockPicture } from "./BlockPicture.tsx";
import { SignIn } from "./SignIn.tsx";

/** Pages with a share image of their own. */
const PICTURED = /^\/(?:addresses|blocks|transactions)\/\w+(?=$|\?)/;

/** Link previews are redirected here, too. They get the image of the page that they requested. */
export async function generateMetadata({ searchParams }: Props): Promise<Metadata> {
  const { next } = await searchParams;
  const path = PICTURED.exec(safePath([next ?? ""].flat()[0]))?.[0];
  return {
    title: "Sign in",
    robots: { index: false },
    ...(path && {
      openGraph: { images: [{ url: `${path}/opengraph-image`, ...SHARE_IMAGE_SIZE }] },
    }),
  };
}

type Props = PageProps<"/sign-in">;

export default async function Page({ searchParams }: Props) {
  const { next, refused } = await searchParams;
  const target = safePath([next ?? ""].flat()[0]);
  const refusal = Object.entries(refusals).find(([reason]) => reason === refused)?.[1];
  if ((await currentCaller()) && !(await isGuest())) redirect(target);
  return (
    <div className="relative min-h-160 pt-16 sm:pt-28">
      <BlockPicture />
      <section
        className="relative mx-auto max-w-md rounded-lg border bg-surface p-6 shadow-popover"
        id="results"
      >
        <h1 className="mb-1 font-semibold text-lg">Sign in</h1>
        <p className="mb-3">
          The Asset Query Service shows what any address on {terms.chain} holds, and what each block moved.
        </p>
        <p className="mb-5 text-text-2">
          Sign in with an access token for this server. It is stored in a cookie that scripts cannot read.
        </p>
        <SignIn target={target} sent={next !== undefined} refusal={refusal} />
        <details className="mt-5 border-border border-t pt-4">
          <summary className="text-accent">How to get a token</summary>
          <p className="mt-2 text-text-2">
            Ask the operator of this server, or create one on the machine that holds its database. The token
            is printed once:
          </p>
          <pre className="mono mt-2 whitespace-pre-wrap rounded-md border border-border bg-sunken p-3">
            {aqs("token create --name me")}
          </pre>
        </details>
      </section>
    </div>
  );
}
