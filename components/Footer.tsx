import { Link } from "./Link.tsx";

export function Footer() {
  return (
    <footer className="mt-14 print:hidden">
      <div className="mx-auto flex max-w-[1304px] gap-x-4 px-4 py-6 text-text-3 sm:px-8">
        <span>Asset Query Service</span>
        <Link href="/docs">API v0</Link>
      </div>
    </footer>
  );
}
