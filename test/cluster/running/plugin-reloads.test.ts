import { RequestQueue } from '../../../src/cluster/queue/request-queue';
import { PluginReloads } from '../../../src/cluster/running/plugin-reloads';
import { silentLogger } from '../../../src/logging/logger';
import type { CatalogChange } from '../../../src/plugins/catalog-change';
import { createPluginRegistry } from '../../../src/plugins/create-registry';
import type { CatalogEntry } from '../../../src/plugins/manifest';
import type { ConfigSnapshot } from '../../../src/storage/config/config-snapshot';
import { waitFor } from '../../helpers/wait-for';

const entry = (name: string): CatalogEntry => ({
  description: { type: 'source', class: name, version: '1', aliases: [], taskClass: null, location: `/${name}` },
  file: `/${name}/index.js`,
  exportName: null,
});
const entries = [entry('A'), entry('B')];
const [a, b] = entries as [CatalogEntry, CatalogEntry];
const catalog = { entries, problems: [] };
const change = (parts: Partial<CatalogChange>): CatalogChange => ({
  catalog,
  added: [],
  changed: [],
  removed: [],
  ...parts,
});
/** Connectors by name, with their class. */
const CONNECTORS: Record<string, string> = { one: 'A', two: 'A', three: 'B' };

let steps: string[];
let faulty: string[];
let queue: RequestQueue;
let reloads: PluginReloads;
beforeEach(() => {
  steps = [];
  faulty = [];
  queue = new RequestQueue(() => undefined);
  const log = (level: string) => (message: string) => void steps.push(`${level} ${message}`);
  reloads = new PluginReloads({
    registry: createPluginRegistry({ pluginPath: [], builtIns: [], logger: silentLogger, catalog }),
    pluginHost: {
      retireThreads: () => void steps.push('retire plugin threads'),
      traits: async ({ class: name }) => {
        steps.push(`import ${name}`);
        if (faulty.includes(name)) throw new Error('Unexpected token (/index.js:3)');
        return {} as never;
      },
    },
    taskHost: { retireThreads: () => void steps.push('retire task threads') },
    queue,
    work: {
      connectorsHere: () => Object.keys(CONNECTORS),
      restartHere: async (names) => void steps.push(`restart ${names.join(', ')}`),
    },
    configs: {
      snapshot: () =>
        ({
          connectorConfig: (name: string) => ({ 'connector.class': CONNECTORS[name] }),
        }) as unknown as ConfigSnapshot,
    },
    worker: { keyConverter: '', valueConverter: '', headerConverter: '' },
    logger: { ...silentLogger, info: log('INFO'), warn: log('WARN'), error: log('ERROR') },
  });
});
/** Applies the change and runs the tick once the plugins have been imported. */
async function apply(parts: Partial<CatalogChange>): Promise<string[]> {
  const applied = reloads.apply(change(parts));
  await waitFor('the request', () => queue.nextDue() !== null, { everyMs: 1 });
  await queue.runDue();
  await applied;
  return steps;
}

test('the users of a plugin restart, on the tick, after it was imported in new threads', async () => {
  expect(await apply({ changed: [a] })).toEqual([
    'retire plugin threads',
    'retire task threads',
    'import A',
    'INFO Reloaded plugin A: restarting one, two',
    'restart one, two',
  ]);
});

test('a plugin in a jar is not loaded for it', async () => {
  const java = { type: 'source', class: 'A', version: '1', location: '/A', classPath: [] } as const;
  expect(await apply({ changed: [{ ...a, java }] })).toEqual([
    'retire plugin threads',
    'retire task threads',
    'INFO Reloaded plugin A: restarting one, two',
    'restart one, two',
  ]);
});

test('several plugins are one restart', async () => {
  expect((await apply({ added: [a], changed: [b] })).slice(-2)).toEqual([
    'INFO Reloaded plugins A, B: restarting one, two, three',
    'restart one, two, three',
  ]);
});

test('a plugin that cannot be imported restarts nothing; another one does', async () => {
  faulty = ['A'];
  expect((await apply({ changed: [a, b] })).slice(2)).toEqual([
    'import A',
    'ERROR The changed plugin A is not reloaded until its files change again; one, two continue with the old code: Unexpected token (/index.js:3)',
    'import B',
    'INFO Reloaded plugin B: restarting three',
    'restart three',
  ]);
  steps = [];
  await reloads.apply(change({ changed: [a] }));
  expect(queue.nextDue()).toBeNull();
});

test('removed plugins are logged, and restart nothing; no change does nothing', async () => {
  await reloads.apply(change({}));
  expect(steps).toEqual([]);
  await reloads.apply(change({ removed: [a.description] }));
  expect(steps.at(-1)).toBe('WARN Plugin A was removed from /A. Tasks that use it continue until they are restarted');
  expect(queue.nextDue()).toBeNull();
});

test('a worker that stops rejects', async () => {
  const applied = reloads.apply(change({ changed: [a] }));
  queue.close();
  await expect(applied).rejects.toThrow('shutting down');
});
