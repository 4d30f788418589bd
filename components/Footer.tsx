import { Link } from "./Link.tsx";

export function Footer() {
  return (
    // On a phone, the bar of news leaves it room.
    <footer className="mt-14 max-sm:pb-11 print:hidden">
      <div className="mx-auto flex max-w-[1304px] gap-x-4 px-4 py-6 text-text-3 sm:px-8">
        <span>Asset Query Service</span>
        <Link href="/docs">API v0</Link>
      </div>
    </footer>
  );
}
