import type { ConnectorInstance } from '@millrace/sdk';
import { ConnectorRunner } from '../../../src/cluster/running/connector-runner';
import { silentLogger } from '../../../src/logging/logger';

function runner(instance: ConnectorInstance | (() => Promise<ConnectorInstance>)): {
  runner: ConnectorRunner;
  seen: string[];
} {
  const seen: string[] = [];
  const log = (name: string, call?: () => unknown) => async (): Promise<void> => {
    seen.push(name);
    await call?.();
  };
  return {
    seen,
    runner: new ConnectorRunner({
      connector: 'c',
      logger: silentLogger,
      create: async () => {
        const created = typeof instance === 'function' ? await instance() : instance;
        return {
          start: log('start', () => created.start?.()),
          stop: log('stop', () => created.stop?.()),
          taskConfigs: (max) => created.taskConfigs(max),
        };
      },
      onState: (state) => seen.push(state),
      onFailed: (error) => seen.push(`FAILED ${(error as Error).message}`),
    }),
  };
}
const none = { taskConfigs: () => [] };

test('start, pause, resume, stop', async () => {
  const { runner: connector, seen } = runner(none);
  for (const target of ['STARTED', 'STARTED', 'PAUSED', 'STARTED', 'STOPPED'] as const)
    await connector.transitionTo(target);
  await connector.close(100);
  expect(seen).toEqual(['start', 'RUNNING', 'stop', 'PAUSED', 'start', 'RUNNING', 'stop', 'STOPPED']);
});

test('a connector that is paused from the beginning is not started', async () => {
  const { runner: connector, seen } = runner(none);
  await connector.transitionTo('PAUSED');
  await connector.close(100);
  expect(seen).toEqual(['PAUSED']);
});

test('a failed start is FAILED, stays so, and permits only a stop', async () => {
  const { runner: connector, seen } = runner({
    ...none,
    start: () => {
      throw new Error('no database');
    },
  });
  await expect(connector.transitionTo('STARTED')).rejects.toThrow('no database');
  await expect(connector.transitionTo('PAUSED')).rejects.toThrow('cannot transition');
  await connector.transitionTo('STOPPED');
  expect(seen).toEqual(['start', 'FAILED no database', 'STOPPED']);
});

test('an instance that failed and was stopped is created again on the next start', async () => {
  let made = 0;
  const { runner: connector, seen } = runner(async () => {
    const broken = ++made === 1;
    return {
      ...none,
      start: () => {
        if (broken) throw new Error('this instance is of no use any more');
      },
    };
  });
  await expect(connector.transitionTo('STARTED')).rejects.toThrow('of no use');
  await connector.transitionTo('STOPPED');
  await connector.transitionTo('STARTED');
  await connector.close(100);
  expect(seen.slice(2)).toEqual(['STOPPED', 'start', 'RUNNING', 'stop']);
});

test('a plugin that cannot be imported is FAILED and can be stopped', async () => {
  const { runner: connector, seen } = runner(async () => {
    throw new Error('cannot find module');
  });
  await expect(connector.transitionTo('STARTED')).rejects.toThrow('cannot find module');
  await connector.transitionTo('STOPPED');
  expect(seen).toEqual(['FAILED cannot find module', 'STOPPED']);
});

test('a failure that is raised and thrown counts once', async () => {
  const { runner: connector, seen } = runner({
    ...none,
    stop: () => {
      connector.fail(new Error('its thread has ended'));
      throw new Error('its thread has ended');
    },
  });
  await connector.transitionTo('STARTED');
  await expect(connector.transitionTo('PAUSED')).rejects.toThrow('its thread has ended');
  expect(seen).toEqual(['start', 'RUNNING', 'stop', 'FAILED its thread has ended']);
});

test('an error raised while running is FAILED; resources are still released', async () => {
  const { runner: connector, seen } = runner(none);
  await connector.transitionTo('STARTED');
  connector.fail(new Error('lost'));
  expect(connector.state).toBe('FAILED');
  await expect(connector.taskConfigs(1)).rejects.toThrow('not running');
  await connector.close(100);
  expect(seen).toEqual(['start', 'RUNNING', 'FAILED lost', 'stop']);
});

test('an error raised during start overrides its success', async () => {
  const { runner: connector, seen } = runner({ ...none, start: () => connectorFails() });
  const connectorFails = (): void => connector.fail(new Error('early'));
  await expect(connector.transitionTo('STARTED')).rejects.toThrow();
  expect(seen).toEqual(['start', 'FAILED early']);
});

test('a failing stop is FAILED when pausing and STOPPED when stopping', async () => {
  const bad = {
    ...none,
    stop: () => {
      throw new Error('stuck');
    },
  };
  const pausing = runner(bad);
  await pausing.runner.transitionTo('STARTED');
  await expect(pausing.runner.transitionTo('PAUSED')).rejects.toThrow('stuck');
  expect(pausing.seen.at(-1)).toBe('FAILED stuck');
  const stopping = runner(bad);
  await stopping.runner.transitionTo('STARTED');
  await stopping.runner.transitionTo('STOPPED');
  expect(stopping.seen.at(-1)).toBe('STOPPED');
});

test('only the newest pending transition is kept', async () => {
  let release: () => void = () => undefined;
  const { runner: connector, seen } = runner({
    ...none,
    start: async () => await new Promise<void>((resolve) => (release = resolve)),
  });
  const started = connector.transitionTo('STARTED');
  const paused = expect(connector.transitionTo('PAUSED')).rejects.toThrow('is now changing to STOPPED instead');
  const stopped = connector.transitionTo('STOPPED');
  await new Promise(setImmediate);
  release();
  await Promise.all([started, paused, stopped]);
  expect(seen).toEqual(['start', 'RUNNING', 'stop', 'STOPPED']);
});

test('an instance that hangs in start is abandoned, its calls are ignored, and it is stopped if it returns', async () => {
  let release: () => void = () => undefined;
  const { runner: connector, seen } = runner({
    ...none,
    start: async () => await new Promise<void>((resolve) => (release = resolve)),
  });
  void connector.transitionTo('STARTED').catch(() => undefined);
  await new Promise(setImmediate);
  await connector.close(5);
  expect(seen).toEqual(['start']);
  release();
  await new Promise(setImmediate);
  await new Promise(setImmediate);
  expect(seen).toEqual(['start', 'stop']);
  await expect(connector.transitionTo('STARTED')).rejects.toThrow('not running');
});
