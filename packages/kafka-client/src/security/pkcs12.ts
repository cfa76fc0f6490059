/**
 * The certificates of a PKCS12 trust store, as PEM. `node:tls` opens PKCS12 key stores, but does not read CAs from
 * them.
 */
import { createRequire } from 'node:module';
import type * as Forge from 'node-forge';

/** Throws the error of `wrongPassword`, which receives the rest of a sentence. */
export function certificatesOfPkcs12(
  bytes: Buffer,
  password: string,
  wrongPassword: (problem: string, cause: unknown) => Error,
): string[] {
  // Loaded only when needed.
  const { asn1, pkcs12, pki, util } = createRequire(__filename)('node-forge') as typeof Forge;
  let store: Forge.pkcs12.Pkcs12Pfx;
  try {
    store = pkcs12.pkcs12FromAsn1(asn1.fromDer(util.createBuffer(bytes.toString('binary'))), password);
  } catch (cause) {
    throw wrongPassword(`does not open the PKCS12 trust store (${(cause as Error).message})`, cause);
  }
  const bagType = pki.oids['certBag'] as string;
  const bags = store.getBags({ bagType })[bagType] ?? [];
  return bags.map((bag) => {
    const der = asn1.toDer(bag.cert ? pki.certificateToAsn1(bag.cert) : bag.asn1).getBytes();
    const body = Buffer.from(der, 'binary').toString('base64');
    return `-----BEGIN CERTIFICATE-----\n${body.replace(/.{64}(?=.)/g, '$&\n')}\n-----END CERTIFICATE-----\n`;
  });
}
