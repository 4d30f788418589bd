const BAR = "rounded-sm bg-border";
/** Place and colour of each tile in the picture, as classes. */
const TILES = [
  "col-span-3 row-span-2 bg-asset-native",
  "col-span-2 row-span-2 bg-asset-1",
  "col-span-2 bg-asset-2",
  "bg-asset-3",
  "bg-asset-4",
  "col-span-4 bg-asset-rest",
];
const ROWS = ["w-28", "w-20", "w-36", "w-24", "w-16", "w-32"];

/** A drawing of a block's page without any data: its line of facts, its sentence, tiles and rows. */
export function BlockPicture() {
  return (
    <div
      aria-hidden="true"
      className="pointer-events-none absolute inset-x-0 top-0 h-160 overflow-hidden [mask-image:linear-gradient(#000_45%,transparent)]"
    >
      <div className={`${BAR} h-4 w-56`} />
      <div className={`${BAR} mt-4 h-9 w-2/5 max-sm:w-4/5`} />
      <div className={`${BAR} mt-4 h-4 w-3/5 max-sm:w-full`} />
      <div className="mt-7 grid h-56 grid-cols-9 grid-rows-2 gap-1">
        {TILES.map((tile) => (
          <div key={tile} className={`${tile} rounded-sm opacity-30`} />
        ))}
      </div>
      {ROWS.map((width) => (
        <div key={width} className="flex h-11 items-center gap-3 border-b first-of-type:mt-6">
          <div className="size-5 rounded-full bg-border" />
          <div className={`${BAR} h-3.5 ${width}`} />
          <div className={`${BAR} ms-auto h-3.5 w-20`} />
        </div>
      ))}
    </div>
  );
}
