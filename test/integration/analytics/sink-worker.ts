/** A worker with the sink for one test file, and the cleanup of its tests. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startWorker, type StartedWorker } from '../../../dev/services/worker';
import { Clients } from '../../helpers/kafka-clients';
import { uniqueName } from '../../helpers/unique-name';
import { waitFor } from '../../helpers/wait-for';

export class SinkWorker {
  readonly clients = new Clients();
  /** Run after the test that adds them. */
  readonly ends: (() => Promise<void>)[] = [];
  worker!: StartedWorker;
  private tempdir = '';

  /** Registers the hooks of the test file: started before its first test, stopped after its last one. */
  static forFile(): SinkWorker {
    const sink = new SinkWorker();
    beforeAll(async () => {
      sink.tempdir = await mkdtemp(join(tmpdir(), 'millrace-sink-'));
      sink.worker = await startWorker({ group: uniqueName('sink'), settings: { 'offset.flush.interval.ms': '100' } });
      await sink.worker.ready();
    });
    afterEach(async () => {
      for (const end of sink.ends.splice(0)) await end();
    });
    afterAll(async () => {
      await sink.worker?.stop();
      await sink.clients.close();
      await rm(sink.tempdir, { recursive: true, force: true });
    });
    return sink;
  }

  /** @returns the connector's name */
  async register(topic: string, url: string, more: Record<string, string> = {}): Promise<string> {
    const name = uniqueName('storms');
    const config = {
      'connector.class': 'AnalyticsSinkConnector',
      topics: topic,
      'analytics.url': url,
      'idp.auth.strategy': 'none',
      'analytics.tables.topics.mapping': `[{'topic':'${topic}','db':'d','table':'T'}]`,
      'flush.interval.ms': '100',
      'tempdir.path': this.tempdir,
      'key.converter': 'org.apache.kafka.connect.storage.StringConverter',
      'value.converter': 'org.apache.kafka.connect.storage.StringConverter',
      ...more,
    };
    await this.worker.register({ name, config });
    return name;
  }

  /** The trace that the task fails with. */
  async failed(name: string): Promise<string> {
    return await waitFor(`the task of ${name} to fail`, async () => {
      const [task] = (await this.worker.status(name)).tasks;
      return task?.state === 'FAILED' && task.trace;
    });
  }
}
