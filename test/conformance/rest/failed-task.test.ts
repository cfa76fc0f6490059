/** connect-rest §7, cases 65 and 91: a sink task that cannot convert a record of its topic. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { uniqueName } from '../../helpers/unique-name';
import { states, Target } from './client';

const folder = mkdtempSync(join(tmpdir(), 'millrace-conformance-'));
let target: Target;
beforeAll(async () => {
  target = await Target.open();
});
afterEach(() => target.removeAll());
afterAll(async () => {
  await target.close();
  rmSync(folder, { recursive: true, force: true });
});

test('connect-rest 65, 91: the status of a failed task has its trace last; a restart of what has failed leaves the connector running', async () => {
  const [source, sink, topic] = [uniqueName('source'), uniqueName('sink'), uniqueName('conformance')];
  const [input, output] = [join(folder, 'in.txt'), join(folder, 'out.txt')];
  writeFileSync(input, 'no JSON\n');
  await target.running(source, {
    'connector.class': 'FileStreamSource',
    topic,
    file: input,
    'value.converter': 'org.apache.kafka.connect.storage.StringConverter',
  });
  const config = { 'connector.class': 'FileStreamSink', topics: topic, file: output };
  expect((await target.mutate('POST', '/connectors', { name: sink, config })).status).toBe(201);
  await target.poll(`/connectors/${sink}/status`, (answer) => states(answer).join() === 'RUNNING,FAILED');

  const { json } = await target.call('GET', `/connectors/${sink}/tasks/0/status`);
  expect(Object.keys(json as object)).toEqual(['id', 'state', 'worker_id', 'version', 'trace']);
  expect(json.trace).toMatch(/\n\t/);
  const restarted = await target.mutate('POST', `/connectors/${sink}/restart?includeTasks=true&onlyFailed=true`);
  expect([restarted.status, ...states({ ...restarted, status: 200 })]).toEqual([202, 'RUNNING', 'RESTARTING']);
  await target.poll(`/connectors/${sink}/status`, (answer) => states(answer).join() === 'RUNNING,FAILED');
});
