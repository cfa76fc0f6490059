import { X509Certificate } from 'node:crypto';
import { signatureHasHash } from '../../../../connectors/postgres/src/database/channel-binding';
import { issueEd25519Certificate } from '../../../../dev/services/certificates';
import { makeIdentity } from '../../../kafka/certificates';

test('channel binding: a certificate signed with Ed25519 has no hash, one signed with RSA has', () => {
  const ed25519 = new X509Certificate(issueEd25519Certificate('server', ['localhost']).cert);
  expect(ed25519.verify(ed25519.publicKey)).toBe(true);
  expect(signatureHasHash(ed25519.raw)).toBe(false);
  expect(signatureHasHash(new X509Certificate(makeIdentity('server', null).cert).raw)).toBe(true);
});

test.each([
  ['RSA with SHA-256', '2a864886f70d01010b', true],
  ['RSASSA-PSS', '2a864886f70d01010a', true],
  ['ECDSA with SHA-384', '2a8648ce3d040303', true],
  ['Ed25519', '2b6570', false],
  ['Ed448', '2b6571', false],
  ['ML-DSA-65', '608648016503040312', false],
])('channel binding: %s', (_, oid, hasHash) => {
  expect(signatureHasHash(certificate(Buffer.from(oid, 'hex')))).toBe(hasHash);
});

/** With a body and a signature of some bytes. */
function certificate(oid: Buffer): Buffer {
  const body = der(0x30, Buffer.alloc(300));
  return der(0x30, Buffer.concat([body, der(0x30, der(6, oid)), der(3, Buffer.alloc(65))]));
}

function der(tag: number, content: Buffer): Buffer {
  const { length } = content;
  const head = length < 0x80 ? [tag, length] : [tag, 0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from(head), content]);
}
