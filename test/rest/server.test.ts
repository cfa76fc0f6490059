import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Herder } from '../../src/cluster/herder';
import { createConfigValidator } from '../../src/config/validation-impl';
import { silentLogger } from '../../src/logging/logger';
import { createRestServer, type RestServer, type RestServerOptions } from '../../src/rest/server';
import { FakeHerder, fakeRegistry, fakeWorkerConfig } from './fake-worker';

const registry = fakeRegistry();
const validator = createConfigValidator({ registry, config: fakeWorkerConfig() });
const server = (
  listeners: RestServerOptions['config']['listeners'],
  herder: RestServerOptions['herder'] = new FakeHerder(validator, registry),
): RestServer =>
  createRestServer({
    herder,
    registry,
    validator,
    config: { listeners },
    logger: silentLogger,
    version: '4.3.1',
    commit: 'unknown',
    forward: () => Promise.reject(new Error('nobody')),
  });
const local = { protocol: 'http', host: '127.0.0.1', port: 0 } as const;

test('connect-rest 5.2: every listener is opened, port 0 becomes a real one', async () => {
  const rest = server([local, { ...local, host: '' }]);
  const bound = await rest.listen();
  expect(bound.map(({ host }) => host)).toEqual(['127.0.0.1', '']);
  for (const { port } of bound) {
    const answer = await fetch(`http://127.0.0.1:${port}/`);
    expect(await answer.json()).toMatchObject({ version: '4.3.1' });
  }
  await rest.close();
  await expect(fetch(`http://127.0.0.1:${bound[0]!.port}/`)).rejects.toThrow();
});

test('connect-rest §0.4: the port is open before there is a herder', async () => {
  let herder: Herder | null = null;
  const rest = server([local], () => herder);
  const [{ port } = local] = await rest.listen();
  expect((await fetch(`http://127.0.0.1:${port}/connectors`)).status).toBe(404);
  herder = new FakeHerder(validator, registry);
  expect((await fetch(`http://127.0.0.1:${port}/connectors`)).status).toBe(200);
  await rest.close();
});

test('a port in use and https are refused with the listener in the message, and nothing stays open', async () => {
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  const { port } = other.address() as AddressInfo;
  await expect(server([local, { ...local, port }]).listen()).rejects.toThrow(
    `listeners: cannot open http://127.0.0.1:${port}: `,
  );
  await expect(server([{ ...local, protocol: 'https' }]).listen()).rejects.toThrow(/^listeners: https:/);
  other.close();
});

test('close waits for a request under way', async () => {
  const herder = new FakeHerder(validator, registry);
  let release = (): void => undefined;
  const entered = new Promise<void>((resolve) => {
    herder.restartConnector = () => {
      resolve();
      return new Promise((done) => (release = done));
    };
  });
  const rest = server([local], herder);
  const [{ port } = local] = await rest.listen();
  const answer = fetch(`http://127.0.0.1:${port}/connectors/a/restart`, { method: 'POST' });
  await entered;
  const closed = rest.close();
  release();
  expect((await answer).status).toBe(204);
  await closed;
});
