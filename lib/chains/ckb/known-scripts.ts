/**
 * The scripts that determine the contents and the owner of a cell, by code hash and hash type. Sources: the tables of
 * ckb-devrel/ccc (`clientPublicMainnet`, `clientPublicTestnet`, and `predefined` of its spore package),
 * nervosnetwork/ckb-explorer (`settings.*.yml`), ckb-explorer-frontend (`constants/scripts.ts`), utxostack/rgbpp-sdk and
 * duanyytop/ckb-omiga (`constants`).
 */
import type { Kind } from "./output-kinds.ts";
import type { HashType, NodeScript } from "./schema.ts";

/** A devnet uses the testnet's address prefix, and counts as testnet here. */
export const NETWORKS = ["mainnet", "testnet"] as const;
export type Network = (typeof NETWORKS)[number];

/** Throws an Error for any other name: a database of another chain, for example. */
export function networkNamed(name: string): Network {
  const network = NETWORKS.find((known) => known === name);
  if (network === undefined) throw new Error(`CKB has no network called ${JSON.stringify(name)}`);
  return network;
}

/**
 * `udt`: a fungible token with its amount in the data, minted by the script whose hash begins its args. `compatible-udt`: a
 * similar token with its own rules for minting, which may allow anyone to mint. `nft`: one cell is one token. `collection`:
 * groups NFTs. `unique` and `omiga-info`: name a token. `dao` and `other`: only the native asset.
 */
type ScriptRole = "udt" | "compatible-udt" | "nft" | "collection" | "unique" | "omiga-info" | "dao" | "other";

export interface KnownScript {
  name: string;
  role: ScriptRole;
  /** `TokenReference.standard` of its tokens, and the kind of its cells. Only `DAO` has other kinds. */
  standard: Kind | "DAO";
}

export interface KnownLock {
  name: string;
  /** The layout of the args, if `address.ts` reads them. */
  args?: "rgbpp" | "bitcoin-time" | undefined;
}

type ScriptRow = [
  codeHash: string,
  hashType: HashType,
  name: string,
  role: ScriptRole,
  standard: KnownScript["standard"],
];
type LockRow = [codeHash: string, hashType: HashType, name: string, args?: KnownLock["args"]];
type ByCode<T> = ReadonlyMap<string, T>;

const keyOf = (codeHash: string, hashType: HashType): string => `${codeHash}/${hashType}`;

// Frozen, because every look-up shares them.
const scriptTable = (rows: ScriptRow[]): ByCode<KnownScript> =>
  new Map(
    rows.map(([hash, type, name, role, standard]) => [
      keyOf(hash, type),
      Object.freeze({ name, role, standard }),
    ]),
  );
const lockTable = (rows: LockRow[]): ByCode<KnownLock> =>
  new Map(rows.map(([hash, type, name, args]) => [keyOf(hash, type), Object.freeze({ name, args })]));

/** Omiga's own token code. ckb-omiga lists one deployment for both networks, but its examples mint on the testnet. */
const XINS = "0x27762139c09452b5d4be6f34720db031a2ab348679a4612b6863a6907a6244ed";

// biome-ignore format: one row a script
const knownScripts: Record<Network, ByCode<KnownScript>> = {
  mainnet: scriptTable([
    ["0x5e7a36a77e68eecc013dfa2fe6a23f3b6c344b04005808694ae6dd45eea4cfd5", "type", "sUDT", "udt", "sUDT"],
    ["0x50bd8d6680b8b9cf98b73f3c08faf8b2a21914311954118ad6609be6e78a1b95", "data1", "xUDT", "udt", "xUDT"],
    ["0x26a33e0815888a4a0614a0b7d09fa951e0993ff21e55905510104a0b1312032b", "type", "Stable++ asset", "compatible-udt", "xUDT"],
    ["0x092c2c4a26ea475a8e860c29cf00502103add677705e2ccd8d6fe5af3caa5ae3", "type", "ccBTC", "compatible-udt", "xUDT"],
    ["0x42a0b2aacc836c0fc2bbd421a9020de42b8411584190f30be547fdf54214acc3", "type", "wCKB", "compatible-udt", "xUDT"],
    ["0xbfa35a9c38a676682b65ade8f02be164d48632281477e36f8dc2f41f79e56bfc", "type", "USDI", "compatible-udt", "xUDT"],
    ["0x4a4dce1df3dffff7f8b2cd7dff7303df3b6150c9788cb75dcf6747247132b9f5", "data1", "Spore v2", "nft", "Spore"],
    ["0x7366a61534fa7c7e6225ecc0d828ea3b5366adec2b58206f2ee84995fe030075", "data1", "Spore cluster v2", "collection", "Cluster"],
    ["0x2c8c11c985da60b0a330c61a85507416d6382c130ba67f0c47ab071e00aec628", "data1", "Unique cell", "unique", "Unique"],
    ["0x5c33fc69bd72e895a63176147c6ab0bb5758d1c7a32e0914f99f9ec1bed90d41", "type", "Omiga inscription info", "omiga-info", "Omiga"],
    ["0x1122a4fb54697cf2e6e3a96c9d80fd398a936559b90954c6e88eb7ba0cf652df", "type", "CoTA", "other", "CoTA"],
    ["0x90ca618be6c15f5857d3cbd09f9f24ca6770af047ba9ee70989ec3b229419ac7", "type", "CoTA registry", "other", "CoTA"],
    ["0x24b04faf80ded836efc05247778eec4ec02548dab6e2012c0107374aa3f68b81", "type", "m-NFT issuer", "other", "m-NFT"],
    ["0xd51e6eaf48124c601f41abe173f1da550b4cbca9c6a166781906a287abbb3d9a", "type", "m-NFT class", "other", "m-NFT"],
    ["0x2b24f0d644ccbdd77bbf86b27c8cca02efa0ad051e447c212636d9ee7acaaec9", "type", "m-NFT", "other", "m-NFT"],
    ["0xcfba73b58b6f30e70caed8a999748781b164ef9a1e218424a6fb55ebf641cb33", "type", ".bit DID", "other", "DID"],
    ["0x4a06164dc34dccade5afe3e847a97b6db743e79f5477fa3295acf02849c5984a", "type", "did:ckb", "other", "did:ckb"],
    ["0x82d76d1b75fe2fd9a27dfbaa65a039221a380d76c926f378d3f81cf3e7e13f2e", "type", "Nervos DAO", "dao", "DAO"],
  ]),
  testnet: scriptTable([
    ["0xc5e5dcf215925f7ef4dfaf5f4b4f105bc321c02776d6e7d52a1db3fcd9d011a4", "type", "sUDT", "udt", "sUDT"],
    ["0x48dbf59b4c7ee1547238021b4869bceedf4eea6b43772e5d66ef8865b6ae7212", "data", "sUDT (deprecated)", "udt", "sUDT"],
    ["0x25c29dc317811a6f6f3985a7a9ebc4838bd388d19d0feeecf0bcd60f6c0975bb", "type", "xUDT", "udt", "xUDT"],
    ["0x50bd8d6680b8b9cf98b73f3c08faf8b2a21914311954118ad6609be6e78a1b95", "data1", "xUDT (by data hash)", "udt", "xUDT"],
    ["0x1142755a044bf2ee358cba9f2da187ce928c91cd4dc8692ded0337efa677d21a", "type", "Stable++ asset", "compatible-udt", "xUDT"],
    ["0x98701eaf939113606a8a70013fd2e8f27b8f1e234acdc329f3d71f9e9d3d3233", "type", "ccBTC", "compatible-udt", "xUDT"],
    ["0xcc9dc33ef234e14bc788c43a4848556a5fb16401a04662fc55db9bb201987037", "type", "USDI", "compatible-udt", "xUDT"],
    [XINS, "type", "xINS", "compatible-udt", "xUDT"],
    ["0x685a60219309029d01310311dba953d67029170ca4848a4ff638e57002130a0d", "data1", "Spore v2", "nft", "Spore"],
    ["0x5e063b4c0e7abeaa6a428df3b693521a3050934cf3b0ae97a800d1bc31449398", "data1", "Spore", "nft", "Spore"],
    ["0xbbad126377d45f90a8ee120da988a2d7332c78ba8fd679aab478a19d6c133494", "data1", "Spore v1", "nft", "Spore"],
    ["0x0bbe768b519d8ea7b96d58f1182eb7e6ef96c541fbd9526975077ee09f049058", "data1", "Spore cluster v2", "collection", "Cluster"],
    ["0x7366a61534fa7c7e6225ecc0d828ea3b5366adec2b58206f2ee84995fe030075", "data1", "Spore cluster", "collection", "Cluster"],
    ["0x598d793defef36e2eeba54a9b45130e4ca92822e1d193671f490950c3b856080", "data1", "Spore cluster v1", "collection", "Cluster"],
    ["0x8e341bcfec6393dcd41e635733ff2dca00a6af546949f70c57a706c0f344df8b", "type", "Unique cell", "unique", "Unique"],
    ["0x50fdea2d0030a8d0b3d69f883b471cab2a29cae6f01923f19cecac0f27fdaaa6", "type", "Omiga inscription info", "omiga-info", "Omiga"],
    ["0x89cd8003a0eaf8e65e0c31525b7d1d5c1becefd2ea75bb4cff87810ae37764d8", "type", "CoTA", "other", "CoTA"],
    ["0x9302db6cc1344b81a5efee06962abcb40427ecfcbe69d471b01b2658ed948075", "type", "CoTA registry", "other", "CoTA"],
    ["0xb59879b6ea6fff985223117fa499ce84f8cfb028c4ffdfdf5d3ec19e905a11ed", "type", "m-NFT issuer", "other", "m-NFT"],
    ["0x095b8c0b4e51a45f953acd1fcd1e39489f2675b4bc94e7af27bb38958790e3fc", "type", "m-NFT class", "other", "m-NFT"],
    ["0xb1837b5ad01a88558731953062d1f5cb547adf89ece01e8934a9f0aeed2d959f", "type", "m-NFT", "other", "m-NFT"],
    ["0x0b1f412fbae26853ff7d082d422c2bdd9e2ff94ee8aaec11240a5b34cc6e890f", "type", ".bit DID", "other", "DID"],
    ["0x510150477b10d6ab551a509b71265f3164e9fd4137fcb5a4322f49f03092c7c5", "type", "did:ckb", "other", "did:ckb"],
    ["0x82d76d1b75fe2fd9a27dfbaa65a039221a380d76c926f378d3f81cf3e7e13f2e", "type", "Nervos DAO", "dao", "DAO"],
  ]),
};

type Code = Pick<NodeScript, "code_hash" | "hash_type">;

/**
 * The type scripts of inscribed tokens have one of the codes in `tokens`. Their args are the hash of a script of the code
 * `owner`, whose args are the hash of the info cell's type script (ckb-omiga's `calcXudtTypeScript`, `calcXinsTypeScript`).
 */
// biome-ignore format: one row a script
export const inscriptionCode: Record<Network, { owner: Code; tokens: readonly Code[] }> = {
  mainnet: {
    owner: { code_hash: "0x7490970e6af9b9fe63fc19fc523a12b2ec69027e6ae484edffb97334f74e8c97", hash_type: "type" },
    tokens: [{ code_hash: "0x50bd8d6680b8b9cf98b73f3c08faf8b2a21914311954118ad6609be6e78a1b95", hash_type: "data1" }],
  },
  testnet: {
    owner: { code_hash: "0x3a241ceceede72a5f55c8fb985652690f09a517d6c9070f0df0d3572fa03fb70", hash_type: "type" },
    tokens: [
      { code_hash: "0x25c29dc317811a6f6f3985a7a9ebc4838bd388d19d0feeecf0bcd60f6c0975bb", hash_type: "type" },
      { code_hash: XINS, hash_type: "type" },
    ],
  },
};

/** Deployed under the same hashes on both networks. */
// biome-ignore format: one row a script
const sharedLocks: LockRow[] = [
  ["0x9bd7e06f3ecf4be0f2fcd2188b23f1b9fcc88e5d4b65a8637b17723bbda3cce8", "type", "secp256k1-blake160"],
  ["0x5c5069eb0857efc65e1bca0c07df34c31663b3622fd3876c876320fc9634e2a8", "type", "secp256k1 multisig"],
  ["0x36c971b8d41fbd94aabca77dc75e826729ac98447b46f91e00796155dddb0d29", "data1", "secp256k1 multisig v2"],
  ["0x3b521cc4b552f109d092d8cc468a8048acb53c5952dbe769d2b2f9cf6e47f7f1", "data1", "Always success"],
  ["0x8290467a512e5b9a6b816469b0edabba1f4ac474e28ffdd604c2a7c76446bbaf", "data1", "Single-use lock"],
  ["0x5123908965c711b0ffd8aec642f1ede329649bda1ebdca6bd24124d3796f768a", "data1", "Input type proxy lock"],
  ["0x2df53b592db3ae3685b7787adcfef0332a611edb83ca3feca435809964c3aff2", "data1", "Output type proxy lock"],
  ["0x5d41e32e224c15f152b7e6529100ebeac83b162f5f692a5365774dad2c1a1d02", "data1", "Lock proxy lock"],
  ["0xff78bae0abf17d7a404c0be0f9ad9c9185b3f88dcc60403453d5ba8e1f22f53a", "data1", "Type burn lock"],
  ["0x6fac4b2e89360a1e692efcddcb3a28656d8446549fb83da6d896db8b714f4451", "data1", "Time lock"],
];

// biome-ignore format: one row a script
const knownLocks: Record<Network, ByCode<KnownLock>> = {
  mainnet: lockTable([
    ...sharedLocks,
    ["0xd1a9f877aed3f5e07cb9c52b61ab96d06f250ae6883cc7f0a2423db0976fc821", "type", "secp256k1 multisig v2 beta"],
    ["0xd369597ff47f29fbc0d47d2e3775370d1250b85140c670e4718af712983a2354", "type", "Anyone-can-pay"],
    ["0x0fb343953ee78c9986b091defb6252154e0bb51044fd2879fde5b27314506111", "data", "Anyone-can-pay (deprecated)"],
    ["0xd00c84f0ec8fd441c38bc3f87a371f547190f2fcff88e642bc5bf54b9e318323", "type", "JoyID"],
    ["0x9b819793a64463aed77c615d6cb226eea5487ccfc0783043a587254cda2b6f26", "type", "Omnilock"],
    ["0xa4398768d87bd17aea1361edc3accd6a0117774dc4ebc813bfa173e8ac0d086d", "type", "Omnilock v1"],
    ["0xbf43c3602455798c1a61a596e0d95278864c552fafe231c063b3fabf97a8febc", "type", "PW lock"],
    ["0x641a89ad2f77721b803cd50d01351c1f308444072d5fa20088567196c0574c68", "type", "Nostr lock"],
    ["0xbc6c568a1a0d0a09f6844dc9d74ddb4343c32143ff25f727c59edf4fb72d6936", "type", "RGB++", "rgbpp"],
    ["0x70d64497a075bd651e98ac030455ea200637ee325a12ad08aff03f1a117e5a62", "type", "Bitcoin time lock", "bitcoin-time"],
    ["0xe4d4ecc6e5f9a059bf2f7a82cca292083aebc0c421566a52484fe2ec51a9fb0c", "type", "Cheque"],
  ]),
  testnet: lockTable([
    ...sharedLocks,
    ["0x765b3ed6ae264b335d07e73ac332bf2c0f38f8d3340ed521cb447b4c42dd5f09", "type", "secp256k1 multisig v2 beta"],
    ["0x3419a1c09eb2567f6552ee7a8ecffd64155cffe0f1796e6e61ec088d740c1356", "type", "Anyone-can-pay"],
    ["0x86a1c6987a4acbe1a887cca4c9dd2ac9fcb07405bbeda51b861b18bbf7492c4b", "type", "Anyone-can-pay (deprecated)"],
    ["0xd23761b364210735c19c60561d213fb3beae2fd6172743719eff6920e020baac", "type", "JoyID"],
    ["0xf329effd1c475a2978453c8600e1eaf0bc2087ee093c3ee64cc96ec6847752cb", "type", "Omnilock"],
    ["0x58c5f491aba6d61678b7cf7edf4910b1f5e00ec0cde2f42e0abb4fd9aff25a63", "type", "PW lock"],
    ["0x6ae5ee0cb887b2df5a9a18137315b9bdc55be8d52637b2de0624092d5f0c91d5", "type", "Nostr lock"],
    ["0x61ca7a4796a4eb19ca4f0d065cb9b10ddcf002f10f7cbb810c706cb6bb5c3248", "type", "RGB++ (Bitcoin testnet3)", "rgbpp"],
    ["0xd07598deec7ce7b5665310386b4abd06a6d48843e953c5cc2112ad0d5a220364", "type", "RGB++ (Bitcoin signet)", "rgbpp"],
    ["0x00cdf8fab0f8ac638758ebf5ea5e4052b1d71e8a77b9f43139718621f6849326", "type", "Bitcoin time lock (testnet3)", "bitcoin-time"],
    ["0x80a09eca26d77cea1f5a69471c59481be7404febf40ee90f886c36a948385b55", "type", "Bitcoin time lock (signet)", "bitcoin-time"],
    ["0x60d5f39efce409c587cb9ea359cefdead650ca128f0bd9cb3855348f98c70d5b", "type", "Cheque"],
  ]),
};

/** Transactions that deployed well-known scripts, the genesis block's first. Only their own network has them. */
export const deploymentTransactions: Record<Network, ReadonlySet<string>> = {
  mainnet: new Set([
    "0xe2fb199810d49a4d8beec56718ba2593b665db9d52299a0f9e6e75416d73ff5c",
    "0x71a7ba8fc96349fea0ed3a5c47992e3b4084b031a42264a018e0072e8172e46c",
    "0x4153a2014952d7cac45f285ce9a7c5c0c0e1b21f2d378b82ac1433cb11c25c4d", // anyone-can-pay
    "0xc7813f6a415144643970c2e88e0bb6ca6a8edc5dd7c1022746f628284a9936d5", // sUDT
    "0xc07844ce21b38e4b071dd0e1ee3b0e27afd8d7532491327f39b786343f558ab7", // xUDT
    "0x96b198fb5ddbd1eed57ed667068f1f1e55d07907b4c0dbd38675a69ea1b69824", // Spore
    "0xe464b7fb9311c5e2820e61c99afc615d6b98bdefbe318c34868c010cbd0dc938", // Spore cluster
    "0x67524c01c0cb5492e499c7c7e406f2f9d823e162d6b0cf432eacde0c9808c2ad", // Unique cell
    "0x04c5c3e69f1aa6ee27fb9de3d15a81704e387ab3b453965adbe0b6ca343c6f41", // RGB++
    "0xf05188e5f3a6767fc4687faf45ba5f1a6e25d3ada6129dae8722cb282f262493", // JoyID
    "0xc76edf469816aa22f416503c38d0b533d2a018e253e379f134c3985b3472c842", // Omnilock
  ]),
  testnet: new Set([
    "0x8f8c79eb6671709633fe6a46de93c0fedc9c1b8a6527a18d3983879542635c9f",
    "0xf8de3bb47d055cdf460d93a2a6e1b05f7432f9777c8c474abf4eec1d4aee5d37",
    "0xec26b0f85ed839ece5f11c4c4e837ec359f5adc4420410f6453b1f6b60fb96a6", // anyone-can-pay
    "0xe12877ebd2c3c364dc46c5c992bcfaf4fee33fa13eebdf82c591fc9825aab769", // sUDT
    "0xbf6fb538763efec2a70a6a3dcb7242787087e1030c4e7d86585bc63a9d337f5f", // xUDT
    "0xff91b063c78ed06f10a1ed436122bd7d671f9a72ef5f5fa28d05252c17cf4cef", // Unique cell
    "0xf1de59e973b85791ec32debbba08dff80c63197e895eb95d67fc1e9f6b413e00", // RGB++
    "0x4dcf3f3b09efac8995d6cbee87c5345e812d310094651e0c3d9a730f32dc9263", // JoyID
    "0xec18bf0d857c981c3d1f4e17999b9b90c484b303378e94de1a57b0872f5d4602", // Omnilock
  ]),
};

/** Finds a type script of this network; null if the tables do not list it. */
export const knownScript = ({ code_hash, hash_type }: NodeScript, network: Network) =>
  knownScripts[network].get(keyOf(code_hash, hash_type)) ?? null;

/** Finds a lock script of this network; null if the tables do not list it. */
export const knownLock = ({ code_hash, hash_type }: NodeScript, network: Network) =>
  knownLocks[network].get(keyOf(code_hash, hash_type)) ?? null;
