/** connect-rest §7, cases 154 to 159: answers of two workers of one group, whichever of them leads. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Clients } from '../../helpers/kafka-clients';
import { uniqueName } from '../../helpers/unique-name';
import { waitFor } from '../../helpers/wait-for';
import { expectError, states, Target } from './client';

const single = process.env.CONFORMANCE_URL !== undefined && process.env.CONFORMANCE_URL_2 === undefined;

// One worker at CONFORMANCE_URL has no follower.
(single ? describe.skip : describe)('two workers', () => {
  let leader: Target;
  let follower: Target;
  let all: readonly Target[] = [];
  let clients: Clients;
  const folder = mkdtempSync(join(tmpdir(), 'millrace-conformance-'));
  const topic = uniqueName('conformance');
  const SNK = { 'connector.class': 'FileStreamSink', topics: topic, file: join(folder, 'sink.txt') };
  const fresh = (): string => uniqueName('c');

  beforeAll(async () => {
    const both = await Target.openTwo();
    all = both;
    clients = new Clients({ 'bootstrap.servers': both[0].bootstrapServers });
    // A running sink may not yet have requested the topic that Kafka creates for it.
    await clients.topic(1, {}, topic);
    // Without forwarding, the leader answers 404 and the other one 409.
    await waitFor('one of two workers to lead', async () => {
      const answers = await Promise.all(both.map((one) => one.call('DELETE', '/connectors/none?forward=false')));
      const [first, second] = answers.map(({ status }) => status);
      if (first === 404 && second === 409) [leader, follower] = both;
      else if (first === 409 && second === 404) [follower, leader] = both;
      else return false;
      return true;
    });
  });
  afterAll(async () => {
    await clients?.close();
    for (const target of all.toReversed()) await target.close();
    rmSync(folder, { recursive: true, force: true });
  });
  afterEach(() => leader.removeAll());

  test('connect-rest 154: changes through the follower have the same effect as through the leader', async () => {
    const name = fresh();
    const created = await follower.mutate('POST', '/connectors', { name, config: SNK });
    expect([created.status, created.json.config, created.headers.location]).toEqual([
      201,
      { ...SNK, name },
      `http://${follower.url.host}/connectors/${name}`,
    ]);
    for (const target of all) {
      await target.poll(`/connectors/${name}/status`, (a) => states(a).join() === 'RUNNING,RUNNING');
    }
    const changed = await follower.mutate('PUT', `/connectors/${name}/config`, { ...SNK, 'errors.log.enable': 'true' });
    expect([changed.status, changed.json.config['errors.log.enable'], changed.headers.location]).toEqual([
      200,
      'true',
      undefined,
    ]);
    const patched = await follower.mutate('PATCH', `/connectors/${name}/config`, { 'errors.log.enable': null });
    expect([patched.status, patched.json.config]).toEqual([200, { ...SNK, name }]);
    const other = fresh();
    const put = await follower.mutate('PUT', `/connectors/${other}/config`, SNK);
    expect([put.status, put.headers.location]).toEqual([201, `http://${follower.url.host}/connectors/${other}`]);
    const restarted = await follower.mutate('POST', `/connectors/${name}/restart?includeTasks=true`);
    expect([restarted.status, restarted.json.connector.state]).toEqual([202, 'RESTARTING']);
    expect((await follower.mutate('PUT', `/connectors/${name}/stop`)).status).toBe(204);
    await leader.poll(`/connectors/${name}/status`, (a) => states(a).join() === 'STOPPED');
    const partition = { kafka_topic: topic, kafka_partition: 0 };
    const altered = await follower.mutate('PATCH', `/connectors/${name}/offsets`, {
      offsets: [{ partition, offset: { kafka_offset: 0 } }],
    });
    expect([altered.status, altered.json]).toEqual([
      200,
      { message: 'The offsets for this connector have been altered successfully' },
    ]);
    for (const target of all)
      expect((await target.call('GET', `/connectors/${name}/offsets`)).json).toEqual({
        offsets: [{ partition, offset: { kafka_offset: 0 } }],
      });
    expect((await follower.mutate('DELETE', `/connectors/${name}/offsets`)).json).toEqual({
      message: 'The offsets for this connector have been reset successfully',
    });
    expect((await follower.mutate('DELETE', `/connectors/${name}`)).status).toBe(204);
    for (const target of all) await target.poll('/connectors', ({ json }) => !(json as string[]).includes(name));
  });

  test('connect-rest 155: errors of the leader are returned unchanged', async () => {
    const name = fresh();
    await leader.mutate('POST', '/connectors', { name, config: SNK });
    await follower.poll('/connectors', ({ json }) => (json as string[]).includes(name));
    expectError(
      await follower.mutate('POST', '/connectors', { name, config: SNK }),
      409,
      `Connector ${name} already exists`,
    );
    expectError(await follower.mutate('DELETE', '/connectors/none'), 404, 'Connector none not found');
    expectError(await follower.mutate('PUT', '/connectors/none/stop'), 404, 'Unknown connector none');
    expectError(await follower.mutate('PATCH', '/connectors/none/config', {}), 404, 'Connector none not found');
    expectError(
      await follower.mutate('DELETE', `/connectors/${name}/offsets`),
      400,
      /^Connectors must be in the STOPPED state before their offsets can be modified\./,
    );
    expectError(
      await follower.mutate('PATCH', '/connectors/none/offsets', { offsets: [] }),
      400,
      'Partitions / offsets need to be provided for an alter offsets request',
    );
  });

  test('connect-rest 156: a follower that may not forward rejects the request', async () => {
    expectError(
      await follower.call('DELETE', '/connectors/none?forward=false'),
      409,
      'Cannot complete request because of a conflicting operation (e.g. worker rebalance)',
    );
  });

  test('connect-rest 159: restarts reach the owner through either worker', async () => {
    const name = fresh();
    await leader.running(name, SNK);
    for (const target of all) {
      await target.poll(`/connectors/${name}/status`, (a) => states(a).join() === 'RUNNING,RUNNING');
      expect((await target.mutate('POST', `/connectors/${name}/restart`)).status).toBe(204);
      expect((await target.mutate('POST', `/connectors/${name}/tasks/0/restart`)).status).toBe(204);
    }
    await leader.poll(`/connectors/${name}/status`, (a) => states(a).join() === 'RUNNING,RUNNING');
  });
});
