/** Throw-away certificates for tests of TLS. */
import { asn1, pkcs12, pki } from 'node-forge';
import { issueCertificate, type Identity } from '../../dev/services/certificates';

export type { Identity };

/** `hosts`: the names and addresses it is good for. */
export function makeIdentity(name: string, issuer: Identity | null, ...hosts: string[]): Identity {
  return issueCertificate({ name, issuer, hosts });
}

/** With a key a key store, without one a trust store. */
export function makePkcs12({ certificate, keys }: Identity, password: string, withKey: boolean): Buffer {
  const store = pkcs12.toPkcs12Asn1(withKey ? keys.privateKey : null, [certificate], password, { algorithm: 'aes256' });
  return Buffer.from(asn1.toDer(store).getBytes(), 'binary');
}

export const encryptedKey = (identity: Identity, password: string): string =>
  pki.encryptRsaPrivateKey(identity.keys.privateKey, password, { algorithm: 'aes256' });
