/** A level changed over REST applies to the lines of a task, which runs in a thread of its own. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startWorker, type StartedWorker } from '../../../dev/services/worker';
import { uniqueName } from '../../helpers/unique-name';
import { waitFor } from '../../helpers/wait-for';

const PLUGIN = `
  const { setTimeout: sleep } = require('node:timers/promises');
  class Task {
    async start(config, context) { this.context = context; }
    async poll() {
      this.context.logger.debug('a word said softly');
      if (!this.polled) this.context.logger.info('a word said aloud');
      this.polled = true;
      await sleep(50, undefined, { signal: this.context.signal }).catch(() => undefined);
      return null;
    }
    stop() {}
  }
  module.exports = { type: 'source', config: [], createTask: () => new Task() };
`;

describe('levels of a task', () => {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-chatty-'));
  let worker: StartedWorker;
  beforeAll(async () => {
    const plugin = join(folder, 'chatty');
    mkdirSync(plugin);
    const plugins = [{ type: 'source', class: 'com.example.ChattyConnector' }];
    const manifest = { name: 'chatty', version: '1.0.0', main: 'index.js', millrace: { plugins } };
    writeFileSync(join(plugin, 'package.json'), JSON.stringify(manifest));
    writeFileSync(join(plugin, 'index.js'), PLUGIN);
    worker = await startWorker({ group: uniqueName('levels'), settings: { 'plugin.path': folder } });
    await worker.ready();
  });
  afterAll(async () => {
    await worker?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const said = (): number => worker.process.log().split('DEBUG [com.example.ChattyTask] a word said softly').length - 1;
  const more = async (): Promise<void> => {
    const before = said();
    await waitFor('the task to say more', () => said() > before, { detail: () => worker.process.log().slice(-2000) });
  };
  const level = async (query: string, wanted: string): Promise<number> =>
    (await worker.request('PUT', `/admin/loggers/${query}`, { level: wanted })).status;

  test('connect-rest 145, 147: on this worker, on the whole group, and for a thread that is created later', async () => {
    await worker.register({ name: 'quiet', config: { 'connector.class': 'com.example.ChattyConnector' } });
    await worker.running('quiet');
    await waitFor('the task to speak', () => worker.process.log().includes('a word said aloud'));
    expect(said()).toBe(0);
    const { json } = await worker.request('GET', '/admin/loggers');
    expect(json).toMatchObject({ 'com.example.ChattyTask': { level: 'INFO', last_modified: null } });

    expect(await level('com.example', 'debug')).toBe(200);
    await more();
    expect(worker.process.log()).toMatch(/a word said softly \{"connector":"quiet","task":0\}/);

    expect(await level('com.example?scope=cluster', 'warn')).toBe(204);
    await waitFor(
      'the level to come back from Kafka',
      async () => (await worker.request('GET', '/admin/loggers/com.example.ChattyTask')).json.level === 'WARN',
    );

    expect(await level('root', 'debug')).toBe(200);
    const config = { 'connector.class': 'com.example.ChattyConnector', 'task.isolation': 'dedicated' };
    expect((await worker.request('DELETE', '/connectors/quiet')).status).toBe(204);
    await worker.register({ name: 'later', config });
    await worker.running('later');
    await waitFor('the new thread to speak', () => /said softly \{"connector":"later"/.test(worker.process.log()));
    // The worker's own loggers got it, too.
    await waitFor('the request to be logged', () =>
      / DEBUG \[millrace\.rest\] GET \/connectors\/later\/status 200 /.test(worker.process.log()),
    );
  });
});
