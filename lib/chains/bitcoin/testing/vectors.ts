import { bitcoin, type Currency, litecoin } from "../networks.ts";

/** Vectors of Bitcoin Core's `key_io_valid.json`, and of BIP 350. */
export const bitcoinVectors: [network: string, text: string, script: string][] = [
  ["mainnet", "1FsSia9rv4NeEwvJ2GvXrX7LyxYspbN2mo", "76a914a31c06bd463e3923bc1aadbde48b16976c08071788ac"],
  ["mainnet", "36j4NfKv6Akva9amjWrLG6MuSQym1GuEmm", "a914373b819a068f32b7a6b38b6b38729647cfde01c287"],
  ["testnet", "mzK2FFDEhxqHcmrJw1ysqFkVyhUULo45hZ", "76a914ce28b26c57472737f5c3561a1761185bd8589a4388ac"],
  ["signet", "2N1r7aC69VHeE7yQJPDLi9T1PYq4wnwvjuT", "a9145e5a35ab44b3efaea5129ba22b88ba3e2976614587"],
  ["regtest", "n4fajahJrAuKbN7uNsKjLjQkz9Qn5ewJXQ", "76a914fdeca3b08e38af53d7c4c60e3ad208ce5066441088ac"],
  ["mainnet", "bc1qvyq0cc6rahyvsazfdje0twl7ez82ndmuac2lhv", "00146100fc6343edc8c874496cb2f5bbfec88ea9b77c"],
  [
    "mainnet",
    "bc1qyucykdlhp62tezs0hagqury402qwhk589q80tqs5myh3rxq34nwqhkdhv7",
    "002027304b37f70e94bc8a0fbf500e0c957a80ebda87280ef58214d92f119811acdc",
  ],
  [
    "mainnet",
    "bc1p83n3au0rjylefxq2nc2xh2y4jzz4pm6zxj4mw5pagdjjr2a9f36s6jjnnu",
    "51203c671ef1e3913f94980a9e146ba895908550ef4234abb7503d436521aba54c75",
  ],
  ["mainnet", "bc1z2rksukkjr8", "520250ed"],
  ["testnet", "tb1rgv5m6uvdk3kc7qsuz0c79v88ycr5w4wa", "53104329bd718db46d8f021c13f1e2b0e726"],
  ["signet", "tb1q3vya2h5435jkugq2few7dmktlrwq4ejmfaw7kr", "00148b09d55e958d256e200a4e5de6eecbf8dc0ae65b"],
  ["regtest", "bcrt1qdavt4j2sd7dlhqsavtnfxvzppw6k7qy97tmnu9", "00146f58bac9506f9bfb821d62e69330410bb56f0085"],
  [
    "regtest",
    "bcrt1sx6p8njlx7h9mc2agz4yg82dzne23050ncq72cneeecez2pst8mahn8xecsf8g6hzx94420",
    "6028368279cbe6f5cbbc2ba8154883a9a29e5517d1f3c03cac4f39ce3225060b3efb799cd9c412746ae2",
  ],
  [
    "mainnet",
    "bc1pw508d6qejxtdg4y5r3zarvary0c5xw7kw508d6qejxtdg4y5r3zarvary0c5xw7kt5nd6y",
    "5128751e76e8199196d454941c45d1b3a323f1433bd6751e76e8199196d454941c45d1b3a323f1433bd6",
  ],
  ["mainnet", "bc1sw50qgdz25j", "6002751e"],
  // Pay-to-anchor, of BIP 433.
  ["mainnet", "bc1pfeessrawgf", "51024e73"],
];

export const refused: [currency: Currency, network: string | null, text: string, code: string][] = [
  [bitcoin, "mainnet", "tb1q3vya2h5435jkugq2few7dmktlrwq4ejmfaw7kr", "address_network"],
  [bitcoin, "regtest", "1FsSia9rv4NeEwvJ2GvXrX7LyxYspbN2mo", "address_network"],
  [litecoin, null, "bc1qvyq0cc6rahyvsazfdje0twl7ez82ndmuac2lhv", "address_prefix"],
  [litecoin, null, "1FsSia9rv4NeEwvJ2GvXrX7LyxYspbN2mo", "address_version"],
  [litecoin, null, "ltcmweb1qq", "address_private"],
  [bitcoin, null, "1FsSia9rv4NeEwvJ2GvXrX7LyxYspbN2mp", "address_checksum"],
  [bitcoin, null, "bc1qvyq0cc6rahyvsazfdje0twl7ez82ndmuac2lhw", "address_checksum"],
  [bitcoin, null, "bc1Qvyq0cc6rahyvsazfdje0twl7ez82ndmuac2lhv", "address_case"],
  // These are BIP 32's.
  [
    bitcoin,
    "mainnet",
    "xpub661MyMwAqRbcFtXgS5sYJABqqG9YLmC4Q1Rdap9gSE8NqtwybGhePY2gZ29ESFjqJoCu1Rupje8YtGqsefD265TMg7usUDFdp6W1EGMcet8",
    "address_extended",
  ],
  [
    litecoin,
    null,
    "xprv9s21ZrQH143K3QTDL4LXw2F7HEK3wJUD2nW2nRk4stbPy6cq3jPPqjiChkVvvNKmPGJxWUtg6LnF5kejMRNNU3TGtRBeJgk33yuGBxrMPHi",
    "address_extended",
  ],
  [litecoin, null, "Ltub2", "address_extended"],
  // A private key, which is base58check, too.
  [bitcoin, null, "5JuW2AMDYu4xVwRG9DZW18VbzQrGcd5RCgb99sS6ehJsNQXu5b9", "address_length"],
  // These are BIP 350's: the other checksum, a version above 16, a wrong length, wrong padding, an empty program.
  [bitcoin, null, "bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqh2y7hd", "address_checksum"],
  [bitcoin, null, "bc1q0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vq54mell", "address_checksum"],
  [bitcoin, null, "BC130XLXVLHEMJA6C4DQV22UAPCTQUPFHLXM9H8Z3K2E72Q4K9HCZ7VQ7ZWS8R", "address_version"],
  [bitcoin, null, "bc1pw5dgrnzv", "address_length"],
  [bitcoin, null, "BC1QR508D6QEJXTDG4Y5R3ZARVARYV98GJ9P", "address_length"],
  [bitcoin, null, "bc1gmk9yu", "address_version"],
  // The prefix is "bc1q", for which the checksum is right.
  [bitcoin, null, "bc1q1qqurswpc8qurswpc8qurswpc8qurswpc8yvr7g4", "address_checksum"],
  [bitcoin, null, "", "address_malformed"],
  [bitcoin, null, " 1FsSia9rv4NeEwvJ2GvXrX7LyxYspbN2mo", "address_malformed"],
  [bitcoin, null, "76a914", "address_prefix"],
  [bitcoin, null, "script:76a91", "address_malformed"],
  [bitcoin, null, "script:", "address_malformed"],
  [bitcoin, null, `script:${"ab".repeat(600)}`, "address_length"],
];
