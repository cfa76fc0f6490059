/** The settings of TLS, as Java names them for the client of a registry. */
import type { ConfigKey } from '@millrace/sdk';
import { key, UNUSED } from './config-key';

const ssl = (name: string): string => `schema.registry.ssl.${name}`;
const DETECTED =
  'JKS, PKCS12 or PEM: the file itself shows which. Stores in JKS cannot be read: convert them to PKCS12.';

export const TLS_CONFIG: readonly ConfigKey[] = [
  key(
    ssl('truststore.location'),
    'STRING',
    null,
    'HIGH',
    'A file with the certificates that are trusted: PKCS12 or PEM.',
  ),
  key(ssl('truststore.password'), 'PASSWORD', null, 'HIGH', 'The password of a trust store in PKCS12.'),
  key(ssl('truststore.certificates'), 'PASSWORD', null, 'HIGH', 'The certificates that are trusted, in PEM.'),
  key(ssl('truststore.type'), 'STRING', 'JKS', 'MEDIUM', DETECTED, { accepts: null }),
  key(
    ssl('keystore.location'),
    'STRING',
    null,
    'HIGH',
    'A file with the key and certificate of this client: PKCS12 or PEM.',
  ),
  key(ssl('keystore.password'), 'PASSWORD', null, 'HIGH', 'The password of a key store in PKCS12.'),
  key(ssl('keystore.key'), 'PASSWORD', null, 'HIGH', 'The private key of this client, in PEM.'),
  key(ssl('keystore.certificate.chain'), 'PASSWORD', null, 'HIGH', 'The certificates of this client, in PEM.'),
  key(ssl('keystore.type'), 'STRING', 'JKS', 'MEDIUM', DETECTED, { accepts: null }),
  key(ssl('key.password'), 'PASSWORD', null, 'HIGH', 'The password of the private key.'),
  key(
    ssl('endpoint.identification.algorithm'),
    'STRING',
    'https',
    'LOW',
    'https: the certificate must be of the host in the address; empty: it may be of any host.',
  ),
  key(
    ssl('protocol'),
    'STRING',
    'TLSv1.3',
    'MEDIUM',
    'The context of TLS; the versions are those of ssl.enabled.protocols.',
  ),
  key(ssl('enabled.protocols'), 'LIST', ['TLSv1.2', 'TLSv1.3'], 'MEDIUM', 'The versions of TLS.'),
  key(ssl('cipher.suites'), 'LIST', null, 'LOW', 'The cipher suites; the default is that of Node.js.'),
  key(ssl('provider'), 'STRING', null, 'MEDIUM', 'Of Java.', UNUSED),
  key(ssl('keymanager.algorithm'), 'STRING', 'SunX509', 'LOW', 'Of Java.', UNUSED),
  key(ssl('trustmanager.algorithm'), 'STRING', 'PKIX', 'LOW', 'Of Java.', UNUSED),
  key(ssl('secure.random.implementation'), 'STRING', null, 'LOW', 'Of Java.', UNUSED),
  key(ssl('engine.factory.class'), 'CLASS', null, 'LOW', 'A Java class, which is refused.', { visible: false }),
];
