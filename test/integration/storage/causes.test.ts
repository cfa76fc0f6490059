/** Causes in the headers of a real topic, written with and without transactions. */
import { randomBytes } from 'node:crypto';
import { createKafkaClients } from '../../../packages/kafka-client/src/create-clients';
import { silentLogger } from '../../../src/logging/logger';
import { ConfigStore } from '../../../src/storage/config/config-store';
import { byUser, type Cause } from '../../../src/storage/log/cause';
import { KafkaCompactedLog } from '../../../src/storage/log/kafka-compacted-log';
import { storageTopic } from '../../../src/storage/log/storage-topic';
import { TransactionalWriter } from '../../../src/storage/log/transactional-writer';
import { deleteTopics } from '../../helpers/kafka-clients';

const client = { 'bootstrap.servers': process.env.BOOTSTRAP_SERVERS ?? '' };
const clients = createKafkaClients(silentLogger);
const permission = { epoch: 0, check: () => 'now' as const };

test.each(['plain', 'transactional'])('records of a %s leader say who caused them', async (kind) => {
  const topic = `causes-${randomBytes(5).toString('hex')}`;
  const admin = clients.admin(client);
  const stores: ConfigStore[] = [];
  const start = async (
    writer: TransactionalWriter | null,
  ): Promise<{ store: ConfigStore; causes: (Cause & { kind: string })[] }> => {
    const causes: (Cause & { kind: string })[] = [];
    const log = new KafkaCompactedLog({
      topic: storageTopic('config', { topic, partitions: 1, replicationFactor: -1, topicConfigs: {} }),
      ...{ clients, admin, client, clientId: topic, logger: silentLogger },
      isolation: 'read_committed',
    });
    const store = new ConfigStore(
      log,
      silentLogger,
      () => undefined,
      null,
      writer,
      (delta, at, cause) => {
        expect(Math.abs(Date.now() - at)).toBeLessThan(600_000);
        causes.push({ kind: delta.kind, ...cause });
      },
    );
    await store.start();
    stores.push(store);
    return { store, causes };
  };
  try {
    const transactionalId = `${topic}-leader`;
    const writer = new TransactionalWriter({
      ...{ topic, clients, client, clientId: transactionalId, transactionalId, permission, logger: silentLogger },
    });
    const { store, causes } = await start(kind === 'plain' ? null : writer);
    await store.claimTransactions(60_000);
    await store.putConnector('c', { name: 'c' }, null, byUser('jane'));
    await store.stopConnector('c', byUser('joe'));
    await store.putConnector('c', { name: 'c', a: '1' }, null, byUser(null));
    const expected = [
      { kind: 'connector', ...byUser('jane'), creates: true },
      { kind: 'tasks', ...byUser('joe') },
      { kind: 'target-state', ...byUser('joe') },
      { kind: 'connector', ...byUser(null) },
    ];
    expect(causes).toEqual(expected);
    expect((await start(null)).causes).toEqual(expected);
  } finally {
    for (const store of stores) await store.stop();
    await deleteTopics(admin, [topic]);
    await admin.close();
  }
});
