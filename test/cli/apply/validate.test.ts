/** `millrace validate` on a worker. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCli } from '../../../src/cli/cli';
import { FakeIo } from '../fake-io';
import { ScriptedCluster } from './scripted-cluster';

let folder: string;
let cluster: ScriptedCluster;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'millrace-validate-'));
  for (const name of ['a', 'b'])
    writeFileSync(join(folder, `${name}.json`), JSON.stringify({ name, config: { 'connector.class': 'X', name } }));
  cluster = new ScriptedCluster();
  await cluster.start();
});
afterEach(() => {
  cluster.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function validate(...args: string[]): Promise<{ code: number; out: string }> {
  const io = new FakeIo(folder, { MILLRACE_CONTEXTS: join(folder, 'contexts') });
  const code = await runCli(['validate', '.', ...args, '--url', cluster.url], io);
  return { code, out: io.out };
}

test('a worker that checks only the keys, for a caller without the role admin: the output names it', async () => {
  cluster.script = (request, body) =>
    request.endsWith('/validate') && (body as { name: string }).name === 'a'
      ? { status: 200, headers: { 'Millrace-Validation': 'keys' }, body: { error_count: 0, configs: [] } }
      : undefined;
  expect(await validate()).toEqual({
    code: 0,
    out: 'a: its keys are valid; what it connects to is checked for the role admin only\nb: valid\n',
  });
  const { out } = await validate('-o', 'json');
  expect(JSON.parse(out)).toEqual([
    { name: 'a', place: 'a.json', fields: [], onlyKeys: true },
    { name: 'b', place: 'b.json', fields: [] },
  ]);
});

test('warnings follow their connector, and leave the exit code as it is', async () => {
  const warnings = [{ key: 'topci', meant: 'topic', message: '"topci" is not a\x1b[2J known key' }];
  cluster.script = (request, body) =>
    request.endsWith('/validate')
      ? { status: 200, body: { configs: [], ...((body as { name: string }).name === 'a' && { warnings }) } }
      : undefined;
  expect(await validate()).toEqual({
    code: 0,
    out: 'a: valid\n  warning: "topci" is not a [2J known key\nb: valid\n',
  });
  const { out } = await validate('-o', 'json');
  expect(JSON.parse(out)).toEqual([
    { name: 'a', place: 'a.json', fields: [], warnings },
    { name: 'b', place: 'b.json', fields: [] },
  ]);
});

test('an error that names the right value is not followed by all of them', async () => {
  const field = (error: string): object => ({
    definition: null,
    value: { name: 't.type', value: 'X', recommended_values: ['org.A', 'org.B'], errors: [error] },
  });
  cluster.script = (request) =>
    request.endsWith('/validate')
      ? { status: 200, body: { configs: [field('no class X'), field('no class X. Did you mean org.A?')] } }
      : undefined;
  expect(await validate()).toMatchObject({
    code: 5,
    out: expect.stringContaining(
      '  t.type = X: no class X\n    one of: org.A, org.B\n  t.type = X: no class X. Did you mean org.A?\nb ',
    ),
  });
});
