/** The README's first command, and its plugin, on real services. */
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from '../../../dev/services/paths';
import { startWorker } from '../../../dev/services/worker';
import { Clients, take, valuesOf } from '../../helpers/kafka-clients';
import { uniqueName } from '../../helpers/unique-name';
import { waitFor } from '../../helpers/wait-for';
import { ForegroundCommand } from '../install/foreground';

/** `npm run demo` without the build. */
async function demo(env: NodeJS.ProcessEnv): Promise<string> {
  const args = ['-r', join(ROOT, 'dev', 'register.js'), join(ROOT, 'dev', 'demos', 'change-capture.ts')];
  return (await promisify(execFile)(process.execPath, args, { cwd: ROOT, env })).stdout;
}

test('npm run demo with the cluster in BOOTSTRAP_SERVERS', async () => {
  const stdout = await demo(process.env);
  expect(stdout).toContain(`Kafka at ${process.env.BOOTSTRAP_SERVERS}`);
  expect(stdout).toContain('Every event arrived.');
});

test('npm run demo needs no Kafka and no Java: every event arrives, the documents are shown as curl commands', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-no-java-'));
  const called = join(folder, 'called');
  for (const name of ['java', 'mvn'])
    writeFileSync(join(folder, name), `#!/bin/sh\n: >${called}\nexit 127\n`, { mode: 0o755 });
  const { BOOTSTRAP_SERVERS: _, JAVA_HOME: __, ...env } = process.env;
  const stdout = await demo({ ...env, PATH: `${folder}:${env.PATH}` });
  expect(existsSync(called)).toBe(false);
  rmSync(folder, { recursive: true });
  expect(stdout).toMatch(/ an embedded Kafka broker on 127\.0\.0\.1:\d+/);
  expect(stdout).toMatch(/curl -X POST .*\/connectors -d '\{\s+"name": "todos-source"/);
  const ops = [...stdout.matchAll(/^ {2}(?:op (\w)|\((tombstone)\))/gm)].map((match) => match[1] ?? match[2]);
  expect(ops).toEqual(['r', 'r', 'c', 'u', 'd', 'tombstone']);
  expect(stdout).toMatch(/"name":"todos-file-sink","connector":\{"state":"RUNNING"/);
  expect(stdout).toContain('Every event arrived.');
});

test('the build before it names each project that it compiles, and shows errors with their exit code', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-build-'));
  const file = join(folder, 'a.ts');
  const options = { composite: true, rootDir: '.', outDir: 'dist', types: [] };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: options, files: ['a.ts'] }));
  const build = async (): Promise<{ stdout: string; code: number }> => {
    const args = ['-r', join(ROOT, 'dev', 'register.js'), join(ROOT, 'dev', 'demos', 'build.ts'), folder];
    const failed = (error: { stdout: string; code: number }) => error;
    return await promisify(execFile)(process.execPath, args).then(({ stdout }) => ({ stdout, code: 0 }), failed);
  };
  try {
    writeFileSync(file, 'export const a: number = 1;\n');
    const first = await build();
    expect(first).toEqual({
      stdout: expect.stringMatching(/^Building .*:\n {2}\S*millrace-build-\w+\nBuilt\.\n$/),
      code: 0,
    });
    expect((await build()).stdout).toContain('TypeScript: nothing');
    writeFileSync(file, `export const a: number = '';\n`);
    expect(await build()).toMatchObject({ stdout: expect.stringContaining('error TS2322'), code: 2 });
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('npm run demo -- --keep: the commands that it shows work, the log has no warnings of ours, Ctrl-C ends everything', async () => {
  const { BOOTSTRAP_SERVERS: _, ...env } = process.env;
  const script = join(ROOT, 'dev', 'demos', 'change-capture.ts');
  const command = [process.execPath, '-r', join(ROOT, 'dev', 'register.js'), script, '--keep'] as const;
  const folder = mkdtempSync(join(tmpdir(), 'millrace-keep-'));
  const kept = new ForegroundCommand({ place: folder, env }, ROOT, command);
  try {
    await kept.prints(/^ {2}PostgreSQL: +postgres:/m);
    const [, first = '', text = ''] = /until you press Ctrl-C\n {2}(.*)\n([^]*)/.exec(kept.log()) ?? [];
    const [, page = ''] = /^Console: +(http:\S+\/ui)$/.exec(first) ?? [];
    expect((await fetch(page)).headers.get('content-type')).toMatch(/^text\/html/);
    const shown = (purpose: string): string => {
      const line = new RegExp(`^ {2}${purpose}: +(.*)$`, 'm').exec(text)?.[1] as string;
      return line.replace(/^npx millrace/, `"${process.execPath}" "${join(ROOT, 'dist', 'main.js')}"`);
    };
    const inShell = async (line: string): Promise<string> =>
      (await promisify(execFile)('/bin/sh', ['-c', line], { cwd: ROOT, env })).stdout;
    await inShell(shown('Insert a row'));
    await waitFor('its event', async () => (await inShell(shown('See its event'))).includes('press Ctrl-C'));
    expect(await inShell(`${shown('Read the topic')} --exit`)).toContain('press Ctrl-C');
    expect(await inShell(shown('Status'))).toContain('2 connectors: 2 RUNNING');
    const [data = ''] = /\/\S+(?=\/\.millrace)/.exec(text) ?? [];
    const warnings = readFileSync(join(data, 'log'), 'utf8').match(/^.* (?:WARN|ERROR) .*$/gm);
    expect(warnings).toEqual([expect.stringContaining('use Apache Kafka in production')]);
    kept.pressCtrlC();
    expect(await kept.exitStatus()).toBe(0);
    expect(existsSync(data)).toBe(false);
    await expect(fetch(page)).rejects.toThrow();
  } finally {
    kept.kill();
    rmSync(folder, { recursive: true });
  }
});

test('the plugin in the README emits ticks, and continues counting after a restart', async () => {
  const clients = new Clients();
  const topic = await clients.topic();
  const group = uniqueName('ticker');
  const settings = {
    'plugin.path': join(ROOT, 'examples', 'plugins'),
    'offset.flush.interval.ms': '100',
    // A stop must be orderly on a slow machine, too.
    'offset.flush.timeout.ms': '45000',
    'task.shutdown.graceful.timeout.ms': '45000',
  };
  let worker = await startWorker({ group, settings });
  try {
    await worker.ready();
    const config = { 'connector.class': 'TickerConnector', topic, 'interval.ms': '20' };
    await worker.register({ name: 'ticker', config });
    await worker.running('ticker');
    const consumer = await clients.assigned();
    consumer.assign([{ topic, partition: 0 }]);
    const ticks: number[] = [];
    const read = async (count: number): Promise<void> => {
      for (const value of valuesOf(await take(consumer, count))) ticks.push(JSON.parse(value).payload.tick as number);
    };
    await read(10);
    expect(ticks.slice(0, 10)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect(await worker.stop()).toBe(0);
    worker = await startWorker({ group, settings });
    const [end] = await clients.admin.listOffsets([{ topic, partition: 0 }], 'latest');
    await read((end?.offset as number) - ticks.length + 10);
    // An orderly restart stores the position first: no tick is duplicated or missing.
    expect(ticks).toEqual(ticks.map((_, i) => i + 1));
  } finally {
    await worker.stop();
    await clients.close();
  }
});
