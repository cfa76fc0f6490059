/** Values that would fail later, or put a secret into a manifest, are rejected with a sentence. */
import { SECURITY_KEYS } from '../../../../src/config/client-keys';
import { isSecretName } from '../../../../packages/texts/src/secrets';
import { manifestsIn, template, find } from './chart';
import { testWithHelm, useHelm } from './tools';

const releases = useHelm();
const render = (values: object): string => template(releases().at(-1) as string, values);

testWithHelm.each<[string, object, RegExp]>([
  ['no brokers', { kafka: { bootstrapServers: '' } }, /Set kafka\.bootstrapServers to host:port/],
  ['brokers without a port', { kafka: { bootstrapServers: 'kafka' } }, /'?\/kafka\/bootstrapServers/],
  ['an unknown value', { replicaCount: 3 }, /additional properties 'replicaCount' not allowed/],
  ['an unknown nested value', { kafka: { saslMechanism: 'PLAIN' } }, /'saslMechanism' not allowed/],
  ['another kind', { kind: 'DaemonSet' }, /'Deployment', 'StatefulSet'/],
  ['a wrong type', { replicas: '2' }, /\/replicas': got string, want integer/],
  ['a privileged port', { rest: { port: 80 } }, /\/rest\/port/],
  ['a setting that is a map', { config: { producer: { acks: 'all' } } }, /\/config\/producer/],
  ['a setting that the chart has a value for', { config: { 'group.id': 'g' } }, /config has group\.id: set group\.id/],
  ['a listener', { config: { listeners: 'http://:1' } }, /config has listeners: set rest\.port and rest\.scheme/],
  [
    'an advertised address that all workers would share',
    { config: { 'rest.advertised.host.name': 'connect' } },
    /the chart advertises the address of each pod/,
  ],
  [
    'a password in the settings',
    { config: { 'listeners.https.ssl.keystore.password': 'x' } },
    /config has a value for listeners\.https\.ssl\.keystore\.password, and a ConfigMap is not a place for secrets/,
  ],
  ['credentials in the settings', { config: { 'admin.sasl.jaas.config': 'x required;' } }, /admin\.sasl\.jaas\.config/],
  [
    'a password in a connector',
    { connectors: { c: { 'connector.class': 'X', 'database.password': 'x' } } },
    /Connector c has a value for database\.password/,
  ],
  ['a connector without a class', { connectors: { c: { 'tasks.max': 1 } } }, /connector\.class/],
  [
    'a password in the environment',
    { env: [{ name: 'CONNECT_SASL_JAAS_CONFIG', value: 'x' }] },
    /use valueFrom\.secretKeyRef/,
  ],
  ['a login without credentials', { kafka: { sasl: { mechanism: 'PLAIN' } } }, /needs kafka\.sasl\.existingSecret/],
  ['a mechanism that does not exist', { kafka: { sasl: { mechanism: 'SCRAM' } } }, /SCRAM-SHA-512/],
  [
    'a certificate without its key',
    { kafka: { tls: { enabled: true, existingSecret: 's', certificateKey: 'tls.crt' } } },
    /Set both/,
  ],
  ['HTTPS without a certificate', { rest: { scheme: 'https' } }, /config needs a certificate/],
  [
    'authentication that probes do not pass',
    { config: { 'rest.auth.jwks.url': 'https://idp/keys', 'rest.auth.open.paths': '/health' } },
    /set rest\.auth\.open\.paths in config to \/,\/health/,
  ],
  [
    'connectors whose Job cannot authenticate',
    { config: { 'rest.auth.jwks.url': 'https://idp/keys' }, connectors: { c: { 'connector.class': 'X' } } },
    /sends no credentials/,
  ],
  ['a grace period that is too short', { terminationGracePeriodSeconds: 20 }, /must be more than 20/],
  [
    'a grace period that is too short for the tasks',
    { config: { 'task.shutdown.graceful.timeout.ms': 60000 }, terminationGracePeriodSeconds: 75 },
    /must be more than 75/,
  ],
  ['a budget that blocks drains', { podDisruptionBudget: { maxUnavailable: 0 } }, /maxUnavailable/],
])('rejected: %s', (_what, values, message) => {
  expect(() => render(values)).toThrow(message);
});

testWithHelm('rejected are the client settings that logs would hide, and all others accepted', () => {
  const names = SECURITY_KEYS.map(({ name }) => name);
  const secrets = SECURITY_KEYS.filter(({ name, type }) => type === 'PASSWORD' || isSecretName(name)).map(
    ({ name }) => name,
  );
  // Certificates are public.
  const rejected = secrets.filter((name) => name !== 'ssl.truststore.certificates');
  expect(rejected.length).toBeGreaterThan(6);
  for (const name of rejected)
    expect(() => render({ config: { [`producer.${name}`]: 'x' } })).toThrow(/not a place for secrets/);
  const others = names.filter((name) => !rejected.includes(name));
  const text = render({ config: Object.fromEntries(others.map((name) => [`producer.${name}`, 'x'])) });
  expect(find(manifestsIn(text), 'ConfigMap').data['worker.properties']).toContain(`producer.${others[0]}=x`);
});

testWithHelm.each<[string, object]>([
  ['a placeholder in place of a password', { config: { 'ssl.key.password': '${file:/etc/millrace/secrets/a/b:c}' } }],
  ['a literal variable that is not a secret', { env: [{ name: 'NODE_OPTIONS', value: '--max-semi-space-size=32' }] }],
  [
    'authentication with open paths, as text and as a list',
    { config: { 'rest.auth.jwks.url': 'https://idp/keys', 'rest.auth.open.paths': ['/', '/health', '/metrics'] } },
  ],
  [
    'HTTPS with a certificate',
    {
      rest: { scheme: 'https' },
      config: { 'listeners.https.ssl.keystore.location': '/etc/millrace/secrets/rest/tls.pem' },
    },
  ],
  ['a grace period that is long enough', { terminationGracePeriodSeconds: 21 }],
])('accepted: %s', (_what, values) => {
  expect(manifestsIn(render(values)).length).toBeGreaterThan(4);
});
