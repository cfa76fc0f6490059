/**
 * SASL and TLS by Java's settings, against Apache Kafka itself. Needs a broker of its own, so BOOTSTRAP_SERVERS is not
 * enough.
 */
import http from 'node:http';
import { Socket, type AddressInfo } from 'node:net';
import { readFile } from 'node:fs/promises';
import { inspect } from 'node:util';
import { KafkaError } from '../../../packages/kafka-client/src/errors';
import { createKafkaClients } from '../../../packages/kafka-client/src/create-clients';
import type { Admin, ClientConfig, GroupConsumer, Producer } from '../../../packages/kafka-client/src/port';
import { silentLogger } from '../../../src/logging/logger';
import { runKafkaTool } from '../../../dev/services/kafka';
import { startWorker } from '../../../dev/services/worker';
import {
  keyAndChain,
  login,
  propertiesValue,
  SCRAM_USER,
  SHORT_SESSION_MS,
  startSecureBroker,
  STORE_PASSWORD,
  USER,
  type SecureBroker,
} from '../../helpers/security-broker';
import { describeWithKafka } from '../../helpers/java';
import { fileSinkConfig } from '../../helpers/file-sink-config';
import { uniqueName } from '../../helpers/unique-name';
import { waitFor } from '../../helpers/wait-for';
import { encryptedKey } from '../../kafka/certificates';

const WRONG = 'wr0ng-secret';
const clients = createKafkaClients(silentLogger);
const open: { close(): Promise<unknown> }[] = [];
const own = <T extends { close(): Promise<unknown> }>(client: T): T => {
  open.push(client);
  return client;
};
const closeAll = async (): Promise<void> => {
  for (const one of open.splice(0).reverse()) await one.close();
};
const nobody = { onAssigned: () => undefined, onRevoked: () => undefined, onLost: () => undefined };

/** Place of one record. */
async function nextValue(consumer: GroupConsumer): Promise<string> {
  for (;;) {
    const [batch] = await consumer.poll(60_000);
    if (batch !== undefined) return batch.records.map(({ value }) => String(value)).join();
  }
}

/** Creates a topic, with clients of these settings that administer it and write to it. */
async function newTopic(
  config: ClientConfig,
  by = clients,
): Promise<{ topic: string; admin: Admin; producer: Producer }> {
  const topic = uniqueName('security');
  const admin = own(by.admin(config));
  await admin.createTopics([{ name: topic, partitions: 1, replicationFactor: 1 }]);
  const producer = own(by.producer(config));
  await producer.connect();
  await producer.prepare([topic]);
  return { topic, admin, producer };
}

/** Creates a topic, writes it, reads it in a group that commits; resolves to the records read. */
async function roundTrip(config: ClientConfig, by = clients): Promise<string> {
  const { topic, admin, producer } = await newTopic(config, by);
  producer.send({ topic, key: null, value: Buffer.from('a record') });
  await producer.flush();
  const consumer = own(by.groupConsumer({ ...config, 'group.id': topic, 'auto.offset.reset': 'earliest' }));
  await consumer.connect();
  consumer.subscribe([topic], nobody);
  const value = await nextValue(consumer);
  await consumer.commit([{ topic, partition: 0, offset: 1 }]);
  expect(await admin.listGroupOffsets(topic)).toEqual([{ topic, partition: 0, offset: 1 }]);
  await closeAll();
  return value;
}

describeWithKafka('kafka-client 3: security on a real broker', () => {
  let broker: SecureBroker;
  const trust = (): ClientConfig => ({ 'ssl.truststore.certificates': broker.ca.cert });
  const sasl = (protocol: 'SASL_PLAINTEXT' | 'SASL_SSL', keys: ClientConfig): ClientConfig => ({
    'bootstrap.servers': broker.at(protocol),
    'security.protocol': protocol,
    ...(protocol === 'SASL_SSL' ? trust() : {}),
    ...keys,
  });
  const ssl = (listener: 'SSL' | 'MTLS' | 'OTHERHOST', keys: ClientConfig = trust()): ClientConfig => ({
    'bootstrap.servers': broker.at(listener),
    'security.protocol': 'SSL',
    ...keys,
  });

  const dial = jest.spyOn(Socket.prototype, 'connect');
  /** All connections ever opened to an address. */
  const socketsTo = (address: string): Socket[] =>
    dial.mock.contexts.filter((_, call) => {
      const first: unknown = dial.mock.calls[call]?.[0];
      const { port } = (Array.isArray(first) ? first[0] : first) as { port?: number };
      return port === Number(address.split(':').at(-1));
    });

  /** The errors of each role. All must have connected once and fail alike, in one line and without secrets. */
  async function refusal(config: ClientConfig): Promise<{ code: string; message: string }> {
    const address = config['bootstrap.servers'] as string;
    const roles = [
      () => own(clients.admin(config)).createTopics([{ name: 'never', partitions: 1, replicationFactor: 1 }]),
      () => own(clients.producer(config)).connect(),
      () => own(clients.groupConsumer({ ...config, 'group.id': 'never' })).connect(),
    ];
    const errors: KafkaError[] = [];
    for (const role of roles) {
      const before = socketsTo(address).length;
      const error: unknown = await role().then(
        () => null,
        (reason: unknown) => reason,
      );
      expect(error).toBeInstanceOf(KafkaError);
      expect(error).toMatchObject({ retriable: false });
      expect(socketsTo(address).length - before).toBe(1);
      const shown = inspect(error, { depth: 10 });
      for (const secret of [WRONG, STORE_PASSWORD, USER.password, SCRAM_USER.password, 'PRIVATE KEY']) {
        expect(shown).not.toContain(secret);
      }
      errors.push(error as KafkaError);
    }
    await closeAll();
    const [{ code, message }] = errors as [KafkaError];
    expect(errors.map((error) => [error.code, error.message])).toEqual(Array(3).fill([code, message]));
    expect(message).toContain(address);
    expect(message).not.toMatch(/[\r\n]|\.\.\/deps|: *$/);
    return { code, message };
  }

  beforeAll(async () => {
    broker = await startSecureBroker();
  });
  afterEach(closeAll);
  afterAll(async () => {
    dial.mockRestore();
    await broker?.stop();
  });

  describe.each(['SASL_PLAINTEXT', 'SASL_SSL'] as const)('%s', (protocol) => {
    test.each([
      ['PLAIN', login.plain()],
      ['SCRAM-SHA-256', login.scram(256)],
      ['SCRAM-SHA-512', login.scram(512)],
      ['OAUTHBEARER', login.oauth('unsecuredLoginStringClaim_sub="alice" unsecuredLoginExtension_pool="a"')],
    ])('%s authenticates admin, producer and group', async (_, keys) => {
      expect(await roundTrip(sasl(protocol, keys))).toBe('a record');
    });
  });

  test.each([
    ['PLAIN', login.plain(WRONG)],
    ['SCRAM-SHA-256', login.scram(256, WRONG)],
    ['SCRAM-SHA-512', login.scram(512, WRONG)],
  ])('%s: a wrong password is rejected permanently', async (mechanism, keys) => {
    expect(await refusal(sasl('SASL_SSL', keys))).toEqual({
      code: 'SASL_AUTHENTICATION_FAILED',
      message: expect.stringMatching(
        new RegExp(`^Kafka broker 127[^ ]+ rejected the ${mechanism} authentication: Authentication failed[\\w :-]+$`),
      ) as unknown,
    });
  });

  test('OAUTHBEARER: a token the broker does not accept is rejected permanently', async () => {
    const nameless = login.oauth(
      'unsecuredLoginStringClaim_name="alice" unsecuredLoginPrincipalClaimName="name" unsecuredLoginLifetimeSeconds="60"',
    );
    expect(await refusal(sasl('SASL_PLAINTEXT', nameless))).toEqual({
      code: 'SASL_AUTHENTICATION_FAILED',
      message: expect.stringMatching(
        / rejected the OAUTHBEARER authentication: \{"status":"invalid_token"\}$/,
      ) as unknown,
    });
  });

  test('OAUTHBEARER: a token from an authorization server', async () => {
    const asked: string[] = [];
    const part = (claims: object): string => Buffer.from(JSON.stringify(claims)).toString('base64url');
    const server = http.createServer((request, response) => {
      asked.push(Buffer.from((request.headers.authorization ?? '').slice('Basic '.length), 'base64').toString());
      const iat = Date.now() / 1000;
      const token = `${part({ alg: 'none' })}.${part({ sub: 'me', iat, exp: iat + 60 })}.`;
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ access_token: token, expires_in: 60 }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/token`;
      const keys = {
        ...login.oauth(`clientId="me" clientSecret="${STORE_PASSWORD}"`),
        'sasl.oauthbearer.token.endpoint.url': url,
      };
      const allowed = createKafkaClients(silentLogger, new Set([url]));
      expect(await roundTrip(sasl('SASL_SSL', keys), allowed)).toBe('a record');
      expect(new Set(asked)).toEqual(new Set([`me:${STORE_PASSWORD}`]));
    } finally {
      server.close();
    }
  });

  test('a mechanism or protocol that the listener does not support is named', async () => {
    expect(
      await refusal({ ...sasl('SASL_PLAINTEXT', login.scram(256)), 'bootstrap.servers': broker.at('SHORT') }),
    ).toEqual({
      code: 'UNSUPPORTED_SASL_MECHANISM',
      message: expect.stringMatching(/does not support sasl\.mechanism SCRAM-SHA-256$/) as unknown,
    });
    const plain = { ...sasl('SASL_PLAINTEXT', login.plain()), 'bootstrap.servers': broker.kafka.bootstrapServers };
    expect(await refusal(plain)).toEqual({
      code: 'ILLEGAL_SASL_STATE',
      message: expect.stringMatching(
        / does not expect authentication on this port; check that security\.protocol is right for this port$/,
      ) as unknown,
    });
  });

  test('TLS: trust from PEM inline and in a file, and from a PKCS12 store created by Java; host names too', async () => {
    const ca = await broker.file('trusted.pem', broker.ca.cert);
    const trusts: ClientConfig[] = [
      { 'ssl.truststore.type': 'PEM', 'ssl.truststore.certificates': broker.ca.cert.replace(/\r?\n/g, ' ') },
      { 'ssl.truststore.type': 'PEM', 'ssl.truststore.location': ca },
      {
        'ssl.truststore.type': 'PKCS12',
        'ssl.truststore.location': await broker.keytool('trusted.p12', '-importcert', '-alias', 'ca', '-file', ca),
        'ssl.truststore.password': STORE_PASSWORD,
        'ssl.enabled.protocols': 'TLSv1.2',
        'bootstrap.servers': broker.at('SSL').replace('127.0.0.1', 'localhost'),
      },
    ];
    for (const keys of trusts) expect(await roundTrip(ssl('SSL', keys))).toBe('a record');
  });

  test('TLS: an unknown authority is rejected permanently', async () => {
    const trusts: ClientConfig[] = [{}, { 'ssl.truststore.certificates': broker.stranger.cert }];
    for (const keys of trusts) {
      expect(await refusal(ssl('SSL', keys))).toEqual({
        code: 'SSL_HANDSHAKE_FAILED',
        message: expect.stringMatching(
          /^TLS with Kafka broker 127[^ ]+ failed: unable to verify the first certificate \(UNABLE_TO_VERIFY_LEAF_SIGNATURE\); ssl\.truststore\.location .* must contain the authority/,
        ) as unknown,
      });
    }
  });

  test('TLS: a certificate for another host is rejected, unless ssl.endpoint.identification.algorithm is empty', async () => {
    expect(await refusal(ssl('OTHERHOST'))).toEqual({
      code: 'SSL_HANDSHAKE_FAILED',
      message: expect.stringMatching(
        / failed: its certificate is for DNS:kafka\.example, not for 127\.0\.0\.1 /,
      ) as unknown,
    });
    const unchecked = ssl('OTHERHOST', { ...trust(), 'ssl.endpoint.identification.algorithm': '' });
    expect(await roundTrip(unchecked)).toBe('a record');
    const stillTrust = {
      'ssl.truststore.certificates': broker.stranger.cert,
      'ssl.endpoint.identification.algorithm': '',
    };
    expect(await refusal(ssl('OTHERHOST', stillTrust))).toMatchObject({ code: 'SSL_HANDSHAKE_FAILED' });
  });

  test('mutual TLS: PEM inline with an encrypted key, a PEM file, a PKCS12 store created by Java', async () => {
    const { client } = broker;
    const made = await broker.file('client.p12', broker.pkcs12(client));
    const source = ['-srckeystore', made, '-srcstorepass', STORE_PASSWORD];
    const identities: ClientConfig[] = [
      {
        'ssl.keystore.type': 'PEM',
        'ssl.keystore.certificate.chain': client.cert,
        'ssl.keystore.key': encryptedKey(client, STORE_PASSWORD),
        'ssl.key.password': STORE_PASSWORD,
      },
      { 'ssl.keystore.type': 'PEM', 'ssl.keystore.location': await broker.file('client.pem', keyAndChain(client)) },
      {
        'ssl.keystore.type': 'PKCS12',
        'ssl.keystore.location': await broker.keytool('java.p12', '-importkeystore', ...source),
        'ssl.keystore.password': STORE_PASSWORD,
      },
    ];
    for (const keys of identities) expect(await roundTrip(ssl('MTLS', { ...trust(), ...keys }))).toBe('a record');
  });

  test.each(['TLSv1.2', 'TLSv1.3'])(
    'mutual TLS: a missing or untrusted certificate is rejected (%s)',
    async (version) => {
      const { stranger } = broker;
      const keys = { ...trust(), 'ssl.enabled.protocols': version };
      expect(await refusal(ssl('MTLS', keys))).toEqual({
        code: 'SSL_HANDSHAKE_FAILED',
        message: expect.stringMatching(
          / failed: the broker returned '[a-z0-9/ ]+' \(ERR_SSL_[\w/]+\); the broker requires a client certificate; set ssl\.keystore\.location or ssl\.keystore\.certificate\.chain$/,
        ) as unknown,
      });
      const strange = { 'ssl.keystore.certificate.chain': stranger.cert, 'ssl.keystore.key': stranger.key };
      expect(await refusal(ssl('MTLS', { ...keys, ...strange }))).toEqual({
        code: 'SSL_HANDSHAKE_FAILED',
        message: expect.stringMatching(
          / failed: the broker returned '[a-z0-9/ ]+' \(ERR_SSL_[\w/]+\); the broker does not accept the client certificate of ssl\.keystore$/,
        ) as unknown,
      });
    },
  );

  test('the error hints at a security.protocol that does not match the listener', async () => {
    const wrong: ClientConfig[] = [
      { 'bootstrap.servers': broker.kafka.bootstrapServers, 'security.protocol': 'SSL', ...trust() },
      { 'bootstrap.servers': broker.at('SSL') },
      { 'bootstrap.servers': broker.at('SASL_PLAINTEXT') },
    ];
    const attempts = wrong.map((keys) =>
      own(clients.producer({ ...keys, 'socket.connection.setup.timeout.ms': '15000' })).connect(),
    );
    for (const attempt of await Promise.allSettled(attempts)) {
      expect(attempt).toMatchObject({
        status: 'rejected',
        reason: {
          code: 'CONNECTION_FAILED',
          message: expect.stringMatching(/check that security\.protocol is right for this port$/) as unknown,
        },
      });
    }
  });

  test('connections outlive connections.max.reauth.ms: they reauthenticate and stay open', async () => {
    const config = { ...sasl('SASL_PLAINTEXT', login.plain()), 'bootstrap.servers': broker.at('SHORT') };
    const before = socketsTo(broker.at('SHORT')).length;
    const open = (): Socket[] =>
      socketsTo(broker.at('SHORT'))
        .slice(before)
        .filter((socket) => !socket.destroyed);
    /** When each was seen first. */
    const since = new Map<Socket, number>();
    const { topic, admin, producer } = await newTopic(config);
    const consumer = own(
      clients.groupConsumer({
        ...config,
        'group.id': topic,
        'heartbeat.interval.ms': '100',
        'auto.offset.reset': 'earliest',
      }),
    );
    await consumer.connect();
    consumer.subscribe([topic], nobody);
    const errors: (KafkaError | null)[] = [];
    const sent: string[] = [];
    const received: string[] = [];
    const exchange = async (): Promise<void> => {
      sent.push(`record ${sent.length}`);
      producer.send({ topic, key: null, value: Buffer.from(sent.at(-1) as string) }, (error) => errors.push(error));
      await producer.flush();
      received.push(await nextValue(consumer));
      await consumer.commit([{ topic, partition: 0, offset: sent.length }]);
      await admin.describeCluster();
    };
    // A machine that pauses when a session must be renewed loses that connection; its replacement must
    // live as long.
    const old = (socket: Socket): boolean => performance.now() - (since.get(socket) as number) > 2.1 * SHORT_SESSION_MS;
    do {
      await exchange();
      for (const socket of open()) since.set(socket, since.get(socket) ?? performance.now());
    } while (!open().every(old));
    expect(open().length).toBeGreaterThanOrEqual(3);
    expect(received).toEqual(sent);
    expect(errors).toEqual(Array(sent.length).fill(null));
  });

  test('deleted credentials end a connection at its next authentication, with the reason', async () => {
    const config = { ...sasl('SASL_PLAINTEXT', login.scram(512)), 'bootstrap.servers': broker.at('SHORT') };
    const admin = own(clients.admin(config));
    await admin.describeCluster();
    await runKafkaTool('kafka.admin.ConfigCommand', [
      ...['--bootstrap-server', broker.kafka.bootstrapServers, '--alter', '--entity-type', 'users'],
      ...['--entity-name', SCRAM_USER.name, '--delete-config', 'SCRAM-SHA-512'],
    ]);
    await expect(
      (async () => {
        for (;;) await admin.describeCluster();
      })(),
    ).rejects.toMatchObject({
      code: 'SASL_AUTHENTICATION_FAILED',
      message: expect.stringMatching(/ rejected the SCRAM-SHA-512 authentication: Authentication failed/) as unknown,
    });
  });

  test('a worker with different settings for itself and its connectors’ clients runs the file sink', async () => {
    const group = uniqueName('security');
    const [topic, deadLetters] = [`${group}-lines`, `${group}-dead`];
    const ca = await broker.file('worker-ca.pem', broker.ca.cert);
    const store = await broker.file('worker-ca.p12', broker.pkcs12(broker.ca, false));
    const inline = {
      'ssl.truststore.type': 'PEM',
      'ssl.truststore.certificates': broker.ca.cert.replace(/\r?\n/g, ' '),
    };
    const pkcs12 = { 'ssl.truststore.location': store, 'ssl.truststore.password': STORE_PASSWORD };
    const prefixed = (prefix: string, keys: ClientConfig): Record<string, string> =>
      Object.fromEntries(
        Object.entries({ 'security.protocol': 'SASL_SSL', ...keys }).map(([key, value]) => [
          prefix + key,
          propertiesValue(value),
        ]),
      );
    const settings = {
      ...prefixed('', { ...inline, ...login.scram(256) }),
      ...prefixed('producer.', {
        'ssl.truststore.location': ca,
        ...login.oauth('unsecuredLoginStringClaim_sub="producer"'),
      }),
      ...prefixed('consumer.', { ...pkcs12, ...login.plain() }),
    };
    const worker = await startWorker({ bootstrapServers: broker.at('SASL_SSL'), group, settings });
    own({ close: () => worker.stop() });
    await worker.ready();
    const file = `${ca}.lines`;
    const config = fileSinkConfig(topic, file, {
      'value.converter': 'org.apache.kafka.connect.json.JsonConverter',
      'value.converter.schemas.enable': 'false',
      'errors.tolerance': 'all',
      'errors.deadletterqueue.topic.name': deadLetters,
      'errors.deadletterqueue.topic.replication.factor': '1',
    });
    const plain = { 'bootstrap.servers': broker.kafka.bootstrapServers, 'auto.offset.reset': 'earliest' };
    const producer = own(clients.producer(plain));
    await producer.connect();
    await producer.prepare([topic]);
    for (const value of ['"one"', 'no JSON', '"two"']) producer.send({ topic, key: null, value: Buffer.from(value) });
    await producer.flush();
    await worker.register({ name: group, config });
    await worker.running(group);
    await waitFor(
      'two lines in the file',
      async () => (await readFile(file, 'utf8').catch(() => '')) === 'one\ntwo\n',
      {
        detail: () => worker.process.log(),
      },
    );
    const dead = own(clients.groupConsumer({ ...plain, 'group.id': `${group}-reader` }));
    await dead.connect();
    dead.subscribe([deadLetters], nobody);
    expect(await nextValue(dead)).toBe('no JSON');

    const locked = { ...config, 'consumer.override.sasl.jaas.config': login.plain(WRONG)['sasl.jaas.config'] };
    await worker.register({ name: `${group}-locked`, config: locked as Record<string, string> });
    const { tasks } = await worker.statusWhen(`${group}-locked`, (status) => status.tasks[0]?.state === 'FAILED');
    expect(tasks[0]?.trace).toMatch(/rejected the PLAIN authentication: Authentication failed/);
    for (const secret of [WRONG, STORE_PASSWORD, SCRAM_USER.password, USER.password]) {
      expect(worker.process.log() + tasks[0]?.trace).not.toContain(secret);
    }
  });

  test('a worker with a wrong password reports it and exits', async () => {
    const worker = await startWorker({
      bootstrapServers: broker.at('SASL_PLAINTEXT'),
      group: uniqueName('security'),
      settings: {
        'security.protocol': 'SASL_PLAINTEXT',
        'sasl.mechanism': 'PLAIN',
        'sasl.jaas.config': propertiesValue(login.plain(WRONG)['sasl.jaas.config'] as string),
      },
    });
    own({ close: () => worker.stop() });
    expect(await worker.exited()).not.toBe(0);
    expect(worker.process.log()).toMatch(/rejected the PLAIN authentication: Authentication failed/);
    expect(worker.process.log()).not.toContain(WRONG);
  });
});
