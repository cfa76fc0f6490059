/** Issues short-lived certificates for tests and demos. */
import { generateKeyPairSync, sign } from 'node:crypto';
import { isIP } from 'node:net';
import { asn1, md, pki } from 'node-forge';

export interface Identity {
  readonly keys: pki.rsa.KeyPair;
  readonly certificate: pki.Certificate;
  /** PEM. */
  readonly key: string;
  /** PEM. */
  readonly cert: string;
}

export interface CertificateOptions {
  readonly name: string;
  /** Null: self-signed, and a certificate authority. */
  readonly issuer: Identity | null;
  /** DNS names and IP addresses of the subject. */
  readonly hosts?: readonly string[];
  /** (Default: one hour from now) */
  readonly expires?: Date;
}

export function issueCertificate({ name, issuer, hosts = [], expires }: CertificateOptions): Identity {
  const keys = pki.rsa.generateKeyPair(2048);
  const certificate = pki.createCertificate();
  const notAfter = expires ?? new Date(Date.now() + 3_600_000);
  certificate.publicKey = keys.publicKey;
  certificate.serialNumber = `0${Math.floor(Math.random() * 1e12).toString(16)}`;
  certificate.validity.notBefore = new Date(Math.min(Date.now(), notAfter.getTime()) - 3_600_000);
  certificate.validity.notAfter = notAfter;
  certificate.setSubject([{ name: 'commonName', value: name }]);
  certificate.setIssuer(issuer?.certificate.subject.attributes ?? certificate.subject.attributes);
  certificate.setExtensions([
    { name: 'basicConstraints', cA: issuer === null },
    ...(hosts.length === 0 ? [] : [{ name: 'subjectAltName', altNames: hosts.map(altName) }]),
  ]);
  certificate.sign((issuer?.keys ?? keys).privateKey, md.sha256.create());
  return { keys, certificate, key: pki.privateKeyToPem(keys.privateKey), cert: pki.certificateToPem(certificate) };
}

/**
 * A self-signed certificate for an Ed25519 key, whose signature has no hash, as PEM. Made from one of RSA, because
 * node-forge cannot sign so.
 */
export function issueEd25519Certificate(name: string, hosts: readonly string[]): Pick<Identity, 'key' | 'cert'> {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const certificate = pki.certificateToAsn1(issueCertificate({ name, issuer: null, hosts }).certificate);
  const [body] = certificate.value as [asn1.Asn1];
  const algorithm = asn1.create(asn1.Class.UNIVERSAL, asn1.Type.SEQUENCE, true, [
    asn1.create(asn1.Class.UNIVERSAL, asn1.Type.OID, false, asn1.oidToDer('1.3.101.112').getBytes()),
  ]);
  const parts = body.value as asn1.Asn1[];
  parts[2] = algorithm;
  parts[6] = asn1.fromDer(publicKey.export({ format: 'der', type: 'spki' }).toString('binary'));
  const signature = sign(null, derOf(body), privateKey);
  const signed = asn1.create(asn1.Class.UNIVERSAL, asn1.Type.SEQUENCE, true, [
    body,
    algorithm,
    // A bit string begins with the number of its unused bits.
    asn1.create(asn1.Class.UNIVERSAL, asn1.Type.BITSTRING, false, `\0${signature.toString('binary')}`),
  ]);
  return {
    key: privateKey.export({ format: 'pem', type: 'pkcs8' }) as string,
    cert: `-----BEGIN CERTIFICATE-----\n${derOf(signed).toString('base64').replace(/.{64}/g, '$&\n')}\n-----END CERTIFICATE-----\n`,
  };
}

const derOf = (part: asn1.Asn1): Buffer => Buffer.from(asn1.toDer(part).getBytes(), 'binary');
const altName = (host: string): object => (isIP(host) === 0 ? { type: 2, value: host } : { type: 7, ip: host });
