declare module "blake2b-wasm" {
  interface Hash {
    update(bytes: Uint8Array): Hash;
    /** Writes the digest into `target`, and returns that. */
    digest(target: Buffer): Buffer;
  }
  function blake2b(length: number, key: null, salt: null, personal: Uint8Array, noAssert: true): Hash;
  namespace blake2b {
    function ready(): Promise<void>;
  }
  export default blake2b;
}
