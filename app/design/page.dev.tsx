import { REST_COLOUR } from "#components/asset-colour.ts";
import { AreaChart } from "#components/charts/AreaChart.tsx";
import { ColumnChart } from "#components/charts/ColumnChart.tsx";
import { ShareBar, ShareLegend, shareInUsd } from "#components/charts/ShareBar.tsx";
import { Sparkline } from "#components/charts/Sparkline.tsx";
import { Treemap } from "#components/charts/Treemap.tsx";
import * as icons from "#components/icons.tsx";
import { Button } from "#components/ui/Button.tsx";
import { Chip, ChipButton } from "#components/ui/Chip.tsx";
import { Field } from "#components/ui/Field.tsx";
import { IconButton } from "#components/ui/IconButton.tsx";
import { Notice } from "#components/ui/Notice.tsx";
import { AnchoredPopover } from "#components/ui/Popover.tsx";
import { Section } from "#components/ui/Section.tsx";
import { Segments } from "#components/ui/Segments.tsx";
import { Tabs } from "#components/ui/Tabs.tsx";

const SIZES = ["text-3xl", "text-2xl", "text-xl", "text-lg", "text-base", "text-sm", "text-xs"];
const COLOURS = ["text", "text-2", "text-3", "accent", "good", "bad", "warn"];
const GROUNDS = ["bg", "surface", "sunken", "accent-bg", "warn-bg"];
const ASSETS = ["1", "2", "3", "4", "5", "6", "rest"];
const DOLLAR = 100_000_000n;
const AMOUNTS = [39n, 22n, 17n, 12n, 6n, 3n, 1n];
const COURSE = [12n, 14n, 13n, 18n, 22n, 21n, 27n, 31n, 30n, 36n];

const colourOf = (asset: string) => (asset === "rest" ? REST_COLOUR : `var(--color-asset-${asset})`);

const SHARES = ASSETS.map((asset, at) =>
  shareInUsd(asset, `Asset ${asset}`, AMOUNTS[at]! * DOLLAR, 100n * DOLLAR, { colour: colourOf(asset) }),
);

const choices = (...titles: string[]) =>
  titles.map((title, at) => ({ href: `?choice=${title}`, title, current: at === 0 }));

const row = "flex flex-wrap items-center gap-3";

/** A gallery of the components, in development only. */
export default function Page() {
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-12">
      <h1 className="font-bold text-2xl">Design</h1>
      <Section title="Type">
        {SIZES.map((size) => (
          <p key={size} className={size}>
            {size}: $1,467,860.94 in 20,015 outputs
          </p>
        ))}
        <p className="mono">0x776f0369…26b1616c</p>
      </Section>
      <Section title="Colour">
        <p className={row}>
          {COLOURS.map((name) => (
            <span key={name} style={{ color: `var(--color-${name})` }}>
              {name}
            </span>
          ))}
          {GROUNDS.map((name) => (
            <span key={name} className="border p-3" style={{ backgroundColor: `var(--color-${name})` }}>
              {name}
            </span>
          ))}
        </p>
      </Section>
      <Section title="Controls">
        <div className={row}>
          <Button tone="primary">Primary</Button>
          <Button>Quiet</Button>
          <Button tone="bare">
            <icons.DownloadIcon /> Bare
          </Button>
          <Button disabled>Disabled</Button>
          <IconButton aria-label="Copy">
            <icons.CopyIcon />
          </IconButton>
          <Chip>Chip</Chip>
          <Chip tone="warn">Look-alike of TIDE</Chip>
          {[true, false].map((pressed) => (
            <ChipButton key={String(pressed)} size="medium" aria-pressed={pressed}>
              {pressed ? "rwa 28" : "defi 2"}
            </ChipButton>
          ))}
          <Field placeholder="Name, symbol or id" aria-label="Field" />
          <Button popoverTarget="example">Popover</Button>
          <AnchoredPopover id="example" title="Popover">
            What opens over the page.
          </AnchoredPopover>
          {Object.entries(icons).map(([name, Icon]) => (
            <span key={name} title={name}>
              <Icon />
            </span>
          ))}
        </div>
        <Tabs label="Tabs" tabs={choices("Outputs", "Holdings").map((tab) => ({ ...tab, count: "116" }))}>
          <Segments label="Range" choices={choices("24 h", "7 d", "All")} />
        </Tabs>
      </Section>
      <Section title="Notices">
        <div className="grid gap-2">
          {(["neutral", "warn", "bad"] as const).map((tone) => (
            <Notice key={tone} tone={tone} title={`A notice: ${tone}`}>
              What the reader can do.
            </Notice>
          ))}
        </div>
      </Section>
      <Section title="Charts">
        <div className="grid grid-cols-[minmax(0,1fr)] gap-10">
          <AreaChart
            caption="Balance"
            points={COURSE.map((amount, x) => ({
              x: x * 86_400_000,
              amount,
              text: `$${amount}`,
              where: `block ${x}`,
              key: String(x),
            }))}
            level={(amount) => `$${amount}`}
          />
          <ShareLegend title="Shares" parts={SHARES} />
          <ShareBar slim parts={SHARES} />
          <Treemap title="Shares" parts={SHARES} few={SHARES} />
          <ColumnChart
            label="Columns"
            columns={COURSE.map((amount, at) => ({
              key: String(at),
              amount,
              colour: colourOf(ASSETS[at % 6]!),
              href: "?",
              unmeasured: at === 4,
              text: `Block ${at}: $${amount}`,
            }))}
            ends={[
              { height: 0, timestamp: 0 },
              { height: 9, timestamp: 86_400_000 },
            ]}
          />
          <span className="text-good">
            <Sparkline amounts={COURSE} />
          </span>
        </div>
      </Section>
    </div>
  );
}
