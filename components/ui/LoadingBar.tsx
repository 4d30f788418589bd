/** A thin bar at the top of the window, or of a part of the page that is loading. */
export function LoadingBar({ of }: { of: "window" | "part" }) {
  return (
    <div
      aria-hidden="true"
      data-loading={of}
      className={`inset-x-0 top-0 h-0.5 bg-accent ${of === "window" ? "fixed z-40" : "absolute z-11"}`}
    />
  );
}
