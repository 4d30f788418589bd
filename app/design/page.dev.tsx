import { REST_COLOUR } from "#components/asset-colour.ts";
import { AreaChart } from "#components/charts/AreaChart.tsx";
import { ColumnChart } from "#components/charts/ColumnChart.tsx";
import { type Share, ShareBar, ShareLegend } from "#components/charts/ShareBar.tsx";
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
const GROUNDS = ["bg-bg", "bg-surface", "bg-sunken", "bg-accent", "bg-accent-bg", "bg-warn-bg", "bg-text"];
const ASSETS = ["1", "2", "3", "4", "5", "6", "rest"];
const AMOUNTS = [39n, 22n, 17n, 12n, 6n, 3n, 1n];
const COURSE = [12n, 14n, 13n, 18n, 22n, 21n, 27n, 31n, 30n, 36n];

/** Every part of the pages, for those who build them. Only in development. */
export default function Page() {
  const parts = AMOUNTS.map(
    (amount, at): Share => ({
      key: ASSETS[at]!,
      name: `Asset ${ASSETS[at]}`,
      label: `Asset ${ASSETS[at]}`,
      colour: ASSETS[at] === "rest" ? REST_COLOUR : `var(--color-asset-${ASSETS[at]})`,
      amount,
      text: `$${amount}.00`,
      share: `${amount} %`,
    }),
  );
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
        <div className="flex flex-wrap gap-2">
          {GROUNDS.map((ground) => (
            <span key={ground} title={ground} className={`size-12 rounded-md border ${ground}`} />
          ))}
          {parts.map(({ key, colour }) => (
            <span
              key={key}
              title={`asset-${key}`}
              className="size-12 rounded-md"
              style={{ backgroundColor: colour }}
            />
          ))}
        </div>
        <p className="mt-2">
          text <span className="text-text-2">text-2</span> <span className="text-text-3">text-3</span>{" "}
          <span className="text-accent">accent</span> <span className="text-good">good</span>{" "}
          <span className="text-bad">bad</span> <span className="text-warn">warn</span>
        </p>
      </Section>
      <Section title="Controls">
        <div className="flex flex-wrap items-center gap-2">
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
          <ChipButton size="medium" aria-pressed={true}>
            rwa 28
          </ChipButton>
          <ChipButton size="medium" aria-pressed={false}>
            defi 2
          </ChipButton>
          <Field placeholder="Name, symbol or id" aria-label="Field" />
          <Button popoverTarget="example">Popover</Button>
          <AnchoredPopover id="example" title="Popover">
            What opens over the page.
          </AnchoredPopover>
        </div>
        <div className="mt-4 flex flex-wrap gap-4">
          {Object.entries(icons).map(([name, Icon]) => (
            <span key={name} title={name}>
              <Icon />
            </span>
          ))}
        </div>
        <div className="mt-4">
          <Tabs
            label="Tabs"
            tabs={[
              { href: "?", title: "Outputs", count: "20,015", current: true },
              { href: "?tab=holdings", title: "Holdings", count: "116", current: false },
            ]}
          >
            <Segments
              label="Range"
              choices={["24 h", "7 d", "All"].map((title, at) => ({
                href: `?${at}`,
                title,
                current: at === 1,
              }))}
            />
          </Tabs>
        </div>
      </Section>
      <Section title="Notices">
        <div className="grid gap-2">
          <Notice tone="neutral" title="Nothing indexed yet">
            Import blocks or follow a node.
          </Notice>
          <Notice tone="warn" title="Blocks are missing" />
          <Notice tone="bad" title="The server cannot be reached" />
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
          <ShareLegend title="Shares" parts={parts} />
          <div className="w-24">
            <ShareBar slim parts={parts} />
          </div>
          <Treemap title="Shares" parts={parts} few={parts} />
          <ColumnChart
            label="Columns"
            columns={COURSE.map((amount, at) => ({
              key: String(at),
              amount,
              colour: `var(--color-asset-${ASSETS[at % 6]})`,
              text: `Block ${at}: $${amount}`,
              href: "?",
              unmeasured: at === 4,
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
