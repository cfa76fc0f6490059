/** A table of 20 rows, one of them deleted, captured by a worker, for other clients to read. */
import { startWorker } from '../../../dev/services/worker';
import { Clients } from '../../helpers/kafka-clients';
import { TestDatabase } from '../../helpers/test-database';
import { uniqueName } from '../../helpers/unique-name';
import { waitFor } from '../../helpers/wait-for';

export interface Capture {
  /** Prefix of the worker's storage topics. */
  readonly group: string;
  /** It has 22 records: 20 of the snapshot, a delete and its tombstone. */
  readonly topic: string;
  close(): Promise<void>;
}

/** Resolves when all records are in the topic. */
export async function captureTodos(): Promise<Capture> {
  const group = uniqueName('foreign');
  const clients = new Clients();
  const database = await TestDatabase.create(`CREATE TABLE todos (id int PRIMARY KEY, title text);
    INSERT INTO todos SELECT id, 'todo ' || id FROM generate_series(1, 20) AS id`);
  const topic = `${database.name}.public.todos`;
  const worker = await startWorker({ group, settings: { 'offset.flush.interval.ms': '500' } });
  const close = async (): Promise<void> => {
    await worker.stop();
    await clients.close();
    await database.drop();
  };
  try {
    await worker.ready();
    await worker.register({ name: 'todos', config: database.sourceConfig() });
    await worker.running('todos');
    await database.query(`DELETE FROM todos WHERE id = 20`);
    await waitFor(`the worker to create ${topic}`, async () => (await clients.admin.listTopics()).includes(topic));
    await clients.end(topic, 22);
  } catch (error) {
    await close();
    throw error;
  }
  return { group, topic, close };
}
