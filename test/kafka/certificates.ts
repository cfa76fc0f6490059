/** Throw-away certificates for tests of TLS. */
import { isIP } from 'node:net';
import { asn1, md, pkcs12, pki } from 'node-forge';

export interface Identity {
  readonly keys: pki.rsa.KeyPair;
  readonly certificate: pki.Certificate;
  readonly key: string;
  readonly cert: string;
}

/** `hosts`: the names and addresses it is good for. */
export function makeIdentity(name: string, issuer: Identity | null, ...hosts: string[]): Identity {
  const keys = pki.rsa.generateKeyPair(2048);
  const certificate = pki.createCertificate();
  certificate.publicKey = keys.publicKey;
  certificate.serialNumber = `0${Math.floor(Math.random() * 1e12).toString(16)}`;
  certificate.validity.notBefore = new Date(Date.now() - 3_600_000);
  certificate.validity.notAfter = new Date(Date.now() + 3_600_000);
  certificate.setSubject([{ name: 'commonName', value: name }]);
  certificate.setIssuer(issuer?.certificate.subject.attributes ?? certificate.subject.attributes);
  certificate.setExtensions([
    { name: 'basicConstraints', cA: issuer === null },
    ...(hosts.length === 0 ? [] : [{ name: 'subjectAltName', altNames: hosts.map(altName) }]),
  ]);
  certificate.sign((issuer?.keys ?? keys).privateKey, md.sha256.create());
  return { keys, certificate, key: pki.privateKeyToPem(keys.privateKey), cert: pki.certificateToPem(certificate) };
}

const altName = (host: string): object => (isIP(host) === 0 ? { type: 2, value: host } : { type: 7, ip: host });

/** With a key a key store, without one a trust store. */
export function makePkcs12({ certificate, keys }: Identity, password: string, withKey: boolean): Buffer {
  const store = pkcs12.toPkcs12Asn1(withKey ? keys.privateKey : null, [certificate], password, { algorithm: 'aes256' });
  return Buffer.from(asn1.toDer(store).getBytes(), 'binary');
}

export const encryptedKey = (identity: Identity, password: string): string =>
  pki.encryptRsaPrivateKey(identity.keys.privateKey, password, { algorithm: 'aes256' });
