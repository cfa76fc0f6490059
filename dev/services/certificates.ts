/** Issues short-lived certificates for tests and demos. */
import { isIP } from 'node:net';
import { md, pki } from 'node-forge';

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

const altName = (host: string): object => (isIP(host) === 0 ? { type: 2, value: host } : { type: 7, ip: host });
