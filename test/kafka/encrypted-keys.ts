/** Encrypted keys with any number of rounds, built without doing them. */
export function der(tag: number, ...content: Buffer[]): Buffer {
  const body = Buffer.concat(content);
  const length = body.length < 128 ? [body.length] : [0x82, body.length >> 8, body.length & 255];
  return Buffer.concat([Buffer.from([tag, ...length]), body]);
}
export const sequence = (...content: Buffer[]) => der(0x30, ...content);
export const octets = (...content: Buffer[]) => der(0x04, ...content);
export const integer = (value: number): Buffer => {
  const bytes = Buffer.alloc(5);
  bytes.writeUIntBE(value, 0, 5);
  return der(0x02, bytes);
};
export const oid = (hex: string) => der(0x06, Buffer.from(hex, 'hex'));
export const SALT = octets(Buffer.alloc(16, 7));

/** A key under PBES2: PBKDF2 or scrypt, then AES-256-CBC. */
export function encryptedKey(kdf: Buffer): Buffer {
  const cipher = sequence(oid('60864801650304012a'), octets(Buffer.alloc(16)));
  return sequence(sequence(oid('2a864886f70d01050d'), sequence(kdf, cipher)), octets(Buffer.alloc(64)));
}
export const pbkdf2 = (rounds: number) => sequence(oid('2a864886f70d01050c'), sequence(SALT, integer(rounds)));
/** `more`: the length of the key, which some write and OpenSSL does not. */
export const scrypt = (n: number, r: number, p: number, ...more: number[]) =>
  sequence(oid('2b06010401da47040b'), sequence(SALT, ...[n, r, p, ...more].map((each) => integer(each))));
export const pem = (bytes: Buffer): string =>
  `-----BEGIN ENCRYPTED PRIVATE KEY----- ${bytes.toString('base64')} -----END ENCRYPTED PRIVATE KEY-----`;
