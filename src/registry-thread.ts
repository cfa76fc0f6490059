/** Composition root of the schema registry's thread: comparing schemas takes no time from the worker. */
import { parentPort, workerData } from 'node:worker_threads';
import { startSchemaRegistry } from '@millrace/schema-registry';
import { workerClients } from './kafka-clients';
import type { FromRegistryThread, RegistryThreadData } from './schema-registry/registry-thread-messages';
import { MAX_RECORD_BYTES, SCHEMAS_TOPIC, topicLog } from './schema-registry/topic-log';
import { KafkaCompactedLog } from './storage/log/kafka-compacted-log';
import { ThreadLogger } from './threads/thread-logger';

const port = parentPort;
if (!port) throw new Error('registry-thread runs as a worker thread only');
const post = (message: FromRegistryThread): void => port.postMessage(message);
const data = workerData as RegistryThreadData;

async function serve(): Promise<void> {
  const logger = new ThreadLogger(post);
  const clients = workerClients(logger);
  const client = { 'bootstrap.servers': data.bootstrapServers };
  const admin = clients.admin({ ...client, 'client.id': 'schema-registry-admin' });
  const log = topicLog(
    new KafkaCompactedLog({
      topic: SCHEMAS_TOPIC,
      clients,
      admin,
      client,
      clientId: 'schema-registry',
      producer: { 'max.request.size': String(MAX_RECORD_BYTES) },
      logger,
    }),
  );
  const registry = await startSchemaRegistry({ port: data.port, log, report: (line) => logger.warn(line) });
  // `stop` is the only message. If stopping fails, the rejection ends the thread too.
  port?.once('message', () => void registry.close().then(() => process.exit()));
  post({ type: 'serving', url: registry.url });
}

serve().catch((error: NodeJS.ErrnoException) =>
  post({ type: 'failed', code: error.code ?? null, message: error.message }),
);
