import { describe, expect, test } from "vitest";
import { type BlockJson, type CellsJson, recompute } from "./recompute.ts";
import { hasRecordedBlocks, readRecordedBlock, readRecordedCells } from "./recorded-blocks.ts";

function block(height: number): BlockJson {
  return readRecordedBlock(height) as BlockJson;
}

function cells(): CellsJson {
  return readRecordedCells() as CellsJson;
}

const seal = "0x178fb47b597a56d48b549226aff59f750b4784250c7f40f781b64ef090a8a0a7";
const rusd = "0x71ff665b40ba044b1981ea9a8965189559c8e01e8cdfa34a3cc565e1f870a95c";
const wckb = "0x22d0ad62c07b366d3df8a881d734f1a33fb33f964185896615ed569d5176343f";

describe.skipIf(!hasRecordedBlocks)("recomputing recorded blocks", () => {
  test("sums the greater side of each transaction, for the native asset over every cell", () => {
    const { changes } = recompute([block(14071118)], cells(), "mainnet");
    expect([...changes]).toEqual([
      [
        "0xc8684b0f2764c8a25d374fa86c201a0fafd7f26a02c47b62f1cc0487e687c183",
        [
          // 70017201901 reward + 68118706999 in + 28800000000 in + 238195259573088 in
          { assetId: "0x80000135", amount: 238_362_195_481_988n },
          // 1 + 247495 joined, then 247496 + 0x0588c2b4750c joined
          { assetId: seal, amount: 247_496n + 0x0588c2b83bd4n },
        ],
      ],
    ]);
  });

  test("reports tokens compatible with xUDT in order of first appearance, inputs before outputs", () => {
    const { changes } = recompute([block(14231073)], cells(), "mainnet");
    expect([...changes.values()]).toEqual([
      [
        { assetId: "0x80000135", amount: 14_138_119_692_552_875n },
        { assetId: wckb, amount: 5_000_000_000_000n },
        { assetId: rusd, amount: 11_000_000_000n },
      ],
    ]);
  });

  test("keeps the outputs nobody spent, in chain order, and an amount of 0", () => {
    const { utxos } = recompute([block(14231073)], cells(), "mainnet");
    const entries = utxos.get("0x4155f5b92e591754fcde27e06353393dbbceb5038ef464cffad73a705d93e7b8")?.entries;
    expect(entries).toHaveLength(1);
    expect(entries?.[0]).toMatchObject({ token: rusd, amount: "0", capacity: "14400000000" });
    expect(entries?.[0]?.outPoint).toMatch(/^0xf55e5ba3[0-9a-f]{56}:3$/);
    // Twelve transactions of this block spend each other's outputs; of this script's, the last two leave one each.
    const chained = utxos.get("0x1618619cbdafaeebd12c3d69779b2df24a7cd0d602aafd4d8a56beec359ccb2a");
    expect(chained?.entries.map((entry) => entry.amount)).toEqual(["6200000000", "10771433802"]);
  });

  test("counts a Spore once for the transaction that melts it, by its type script's args", () => {
    const { changes, utxos } = recompute([block(15260064)], cells(), "testnet");
    const [entries] = [...changes.values()];
    expect(entries).toContainEqual({
      assetId: "0x8de8819f142c2d06a73782daf9ebe8af2efe85da5012e95eb4b4a00fb8d70355",
      amount: 1n,
    });
    expect(utxos.get("0xacda43aa06b44a9b157f119e8d61537e21eaeabb2f10e8225ff75d3268d6d8a2")?.entries).toEqual([
      {
        token: "0x80000135",
        blockHeight: 15260064,
        outPoint: "0xff64bd3660074327f3a653330e79d67d642b64cb5639a43f523d4e642f9b5752:0",
        amount: "56899999355",
        capacity: "56899999355",
      },
    ]);
  });

  test("names a lock script that only spends, with an empty page", () => {
    // The miner, the one that spends, and the one that it pays.
    const { utxos } = recompute([block(14334249)], cells(), "mainnet");
    expect([...utxos.values()].map((page) => page.entries.length).sort()).toEqual([0, 1, 1]);
  });

  test("refuses an input whose output it cannot see", () => {
    expect(() => recompute([block(14110309)], {}, "mainnet")).toThrow("unknown output");
  });
});

test("gives the documented address of a documented lock script", () => {
  const { utxos } = recompute(
    [
      {
        header: { number: "0x0", hash: "0x00" },
        transactions: [
          {
            hash: "0x01",
            inputs: [],
            outputs: [
              {
                capacity: "0x1",
                lock: {
                  code_hash: "0x9bd7e06f3ecf4be0f2fcd2188b23f1b9fcc88e5d4b65a8637b17723bbda3cce8",
                  hash_type: "type",
                  args: "0xb39bbc0b3673c7d36450bc14cfcdad2d559c6c64",
                },
              },
            ],
            outputs_data: ["0x"],
          },
        ],
      },
    ],
    {},
    "testnet",
  );
  expect([...utxos].map(([hash, page]) => [hash, page.address])).toEqual([
    [
      "0xe203d8260a0eb9d0ec8f69976e2108d9e50d0c8fb1920a67d10d61cb9993e284",
      "ckt1qzda0cr08m85hc8jlnfp3zer7xulejywt49kt2rr0vthywaa50xwsqdnnw7qkdnnclfkg59uzn8umtfd2kwxceqgutnjd",
    ],
  ]);
});
