/** The texts that name a block in requests, beside `tip`. Safe for a browser. */
export const HASH = /^(0x|0X)?[0-9a-fA-F]{64}$/;
export const HEIGHT = /^(0|[1-9][0-9]*)$/;
