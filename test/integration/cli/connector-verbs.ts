/** The commands about connectors, against a worker of either kind. */
import { spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT } from '../../../dev/services/paths';
import type { RunningWorker } from '../../../dev/services/worker';

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export async function millrace(worker: RunningWorker, ...args: string[]): Promise<Ended> {
  const child = spawn(process.execPath, [join(ROOT, 'dist', 'main.js'), ...args], {
    cwd: worker.folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env.PATH, HOME: worker.folder, MILLRACE_URL: worker.url },
  });
  const ended = { out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (ended.out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (ended.err += text));
  return await new Promise((resolve) => child.once('close', (code) => resolve({ code, ...ended })));
}

interface Top {
  readonly connectors: readonly unknown[];
}

/** @param group prefix of the topics @param hasMetrics whether the worker has `GET /metrics`, as Millrace's has */
export function testConnectorVerbs(workerOf: () => RunningWorker, group: string, hasMetrics: boolean): void {
  const run = (...args: string[]) => millrace(workerOf(), ...args);

  beforeAll(async () => {
    const worker = workerOf();
    const file = join(worker.folder, 'lines.txt');
    await writeFile(file, 'one\ntwo\n');
    await worker.register({
      name: 'lines',
      config: { 'connector.class': 'FileStreamSource', topic: `${group}-lines`, file },
    });
    await worker.register({
      name: 'broken',
      config: {
        'connector.class': 'FileStreamSink',
        topics: `${group}-lines`,
        file: join(worker.folder, 'no', 'folder'),
        'errors.restart.max': '0',
      },
    });
    await worker.running('lines');
    await worker.statusWhen('broken', ({ tasks }) => tasks[0]?.state === 'FAILED');
  });

  test('get lists connectors, plugins, workers, loggers', async () => {
    const connectors = await run('get', 'connectors');
    expect(connectors).toMatchObject({ code: 0, err: '' });
    expect(connectors.out).toMatch(
      hasMetrics
        ? /^NAME +TYPE +STATE +HEALTH +TASKS +ERRORS\/S +WORKER +CLASS\nbroken +sink +RUNNING +failed +0\/1 .*\nlines +source +RUNNING +running +1\/1 /
        : /^NAME +TYPE +STATE +HEALTH +TASKS +ERRORS\/S +WORKER +CLASS\nbroken +sink +RUNNING +– +0\/1 +- .*\nlines +source +RUNNING +– +1\/1 +- /,
    );
    expect((await run('get', 'plugins', 'FileStreamSink')).out).toContain('file.FileStreamSinkConnector');
    const workers = (await run('get', 'workers')).out;
    expect(workers).toMatch(
      hasMetrics
        ? /\n127\.0\.0\.1:\d+ +2 +2 +1 +\S+ +\S+ +\S+ +healthy\n$/
        : /\n127\.0\.0\.1:\d+ +2 +2 +1 +\S+ +\S+ +healthy\n$/,
    );
    expect((await run('get', 'loggers', 'root')).out).toMatch(/\nroot +INFO/);
    expect(await run('get', 'connectors', 'absent')).toMatchObject({ code: 4, out: '' });
  });

  test('describe shows a connector and the settings of a plugin', async () => {
    const lines = await run('describe', 'connector', 'lines');
    expect(lines).toMatchObject({ code: 0, err: '' });
    expect(lines.out).toMatch(
      /^Name: +lines\nType: +source\n(?:Plugin: +\S+ \S+, in Node\.js, .+\n)?State: +RUNNING\n/,
    );
    expect(lines.out).toMatch(/\nTasks:\n {2}0: RUNNING on \S+\n\nConfig:\n {2}connector\.class: +FileStreamSource\n/);
    expect((await run('describe', 'connector', 'lines', '--task-configs')).out).toMatch(
      /\nConfig of task 0:\n(?: {2}\S+: +\S.*\n)* {2}task\.class: +org\.apache\.kafka\.connect\.file\.FileStreamSourceTask\n/,
    );
    expect((await run('describe', 'connector', 'broken')).out).toMatch(
      /\n {2}0: FAILED on \S+\n {4}org\.apache\.kafka\.connect\.errors\.ConnectException: /,
    );
    const plugin = await run('describe', 'plugin', 'FileStreamSource');
    expect(plugin).toMatchObject({ code: 0, err: '' });
    expect(plugin.out).toMatch(
      /^Class: +org\.apache\.kafka\.connect\.file\.FileStreamSourceConnector\nAlias: +FileStreamSource\n/,
    );
    expect(plugin.out).toMatch(/\n {2}topic \(\w+, required, high\)\n {6}\S/);
    expect(await run('describe', 'connector', 'absent')).toMatchObject({ code: 4, out: '' });
    expect(await run('describe', 'plugin', 'Absent')).toMatchObject({ code: 4, out: '' });
  });

  test('status reports what failed', async () => {
    const { code, out } = await run('status');
    expect(code).toBe(5);
    expect(out).toMatch(
      /FAILED broken, task 0 on 127\.0\.0\.1:\d+(?:, since \S+Z)?\n {2}org\.apache\.kafka\.connect\.errors\.ConnectException: /,
    );
  });

  test('logs, history, signals and ui: of a worker of Millrace, and of others a sentence', async () => {
    const asked = ['logs broken', 'history broken', 'signals lines'].map((line) => line.split(' '));
    expect(await run('ui')).toMatchObject({ code: 4, err: expect.stringContaining('has no console: ') });
    if (!hasMetrics) {
      for (const args of asked)
        expect(await run(...args)).toMatchObject({ code: 4, out: '', err: expect.stringContaining('(REST_NO_ROUTE)') });
      return;
    }
    const [logs, history, signals] = await Promise.all(asked.map(async (args) => await run(...args)));
    expect(logs).toMatchObject({ code: 0, err: '' });
    expect(logs?.out).toMatch(/^\S+Z ERROR 127\.0\.0\.1:\d+ task 0 \[.*no\/folder/m);
    expect(history?.out).toMatch(/^\S+Z {2}broken task 0 {2}failed.*\n(?:.*\n)*\S+Z {2}broken {2}connector created/);
    expect(signals).toMatchObject({ code: 0, out: '', err: expect.stringContaining('does not say which signals') });
    expect(await run('signals', 'lines', 'reload')).toMatchObject({
      code: 1,
      err: expect.stringContaining('REST_REFUSED'),
    });
  });

  test('pause, resume, restart, stop; offsets', async () => {
    expect(await run('pause', 'lines')).toEqual({ code: 0, out: 'lines paused\n', err: '' });
    expect(await run('resume', 'li*')).toEqual({ code: 0, out: 'lines running\n', err: '' });
    expect(await run('restart', 'lines', '--include-tasks')).toEqual({ code: 0, out: 'lines restarted\n', err: '' });
    expect(await run('restart', 'lines', '--task', '0')).toEqual({ code: 0, out: 'lines task 0 restarted\n', err: '' });
    expect(await run('restart', 'lines', '--task', '9')).toMatchObject({ code: 4, out: '' });
    expect(await run('stop', 'lines')).toEqual({ code: 0, out: 'lines stopped\n', err: '' });
    expect((await run('get', 'topics', 'lines')).out).toContain(`${group}-lines`);
    expect((await run('get', 'offsets', 'lines')).out).toMatch(/lines +filename=".*lines\.txt" +position=8\n/);
  });

  test('patch shows the difference and waits until the tasks run again', async () => {
    expect((await run('resume', 'lines')).code).toBe(0);
    expect(await run('patch', 'lines', 'batch.size=100')).toEqual({
      code: 0,
      out: 'lines:\n  + batch.size: 100\n',
      err: 'lines: running\n',
    });
    expect((await run('patch', 'lines', 'batch.size=100')).out).toBe('lines: unchanged\n');
    expect((await run('patch', 'lines', 'batch.size-')).code).toBe(0);
  });

  test('offsets are exported, reset and imported', async () => {
    const exported = await run('offsets', 'export', 'lines');
    expect(JSON.parse(exported.out)).toMatchObject({ offsets: [{ offset: { position: 8 } }] });
    const file = join(workerOf().folder, 'offsets.json');
    await writeFile(file, exported.out);
    expect(await run('offsets', 'reset', 'lines', '--yes')).toEqual({
      code: 0,
      out: 'The offsets for this connector have been reset successfully\n',
      err: 'lines is stopped.\nlines stays stopped: "millrace resume lines" starts it.\n',
    });
    expect(JSON.parse((await run('offsets', 'export', 'lines')).out)).toEqual({ offsets: [] });
    expect(await run('offsets', 'import', 'lines', file, '--yes', '--resume')).toEqual({
      code: 0,
      out: 'The offsets for this connector have been altered successfully\n',
      err: 'lines is running.\n',
    });
    await workerOf().running('lines');
    expect((await run('offsets', 'export', 'lines')).out).toBe(exported.out);
  });

  test('restart --failed reports the same failure again', async () => {
    const { code, err } = await run('restart', '--failed');
    expect(code).toBe(1);
    expect(err).toMatch(/^millrace: broken: task 0 is FAILED: org\.apache\.kafka\.connect\.errors\.ConnectException: /);
  });

  test('loggers set', async () => {
    const set = await run('loggers', 'set', 'root', 'warn');
    expect(set).toMatchObject({ code: 0, err: '' });
    expect(set.out).toMatch(/^NAME +LEVEL\n[^]*\nroot +WARN\n/);
    expect(await run('loggers', 'set', 'root', 'INFO', '--cluster')).toEqual({
      code: 0,
      out: 'root and the loggers below it set to INFO on all workers\n',
      err: '',
    });
  });

  test('top', async () => {
    const { code, out, err } = await run('top', '--once', '--sort', 'name');
    expect({ code, err }).toEqual({ code: 0, err: '' });
    if (hasMetrics)
      expect(out).toMatch(
        /^WORKER +CPU +MEMORY +TASKS +RECORDS\/S\n127\.0\.0\.1:\d+ +\d+ % +[1-9]\d* MiB +\d+ +[\d.]+\n[^]*\nlines +source +RUNNING +running +1\/1 +[\d.]+ +- +- +0 +\S+\n/,
      );
    else
      expect(out).toMatch(
        /^Only states of [^]*\n\nCONNECTOR +TYPE +STATE +HEALTH +TASKS\nbroken +sink +RUNNING +– +0\/1\n/,
      );
    const [broken] = (JSON.parse((await run('top', 'broken', '--once', '-o', 'json')).out) as Top).connectors;
    expect(broken).toMatchObject({ name: 'broken', tasks: [{ id: 0, state: 'FAILED' }] });
  });

  test('explain needs no worker', async () => {
    expect((await run('explain', 'No answer (REST_UNREACHABLE)')).out).toMatch(/^REST_UNREACHABLE: /);
  });

  test('delete', async () => {
    expect((await run('delete', 'lines')).code).toBe(2);
    expect(await run('delete', '--all', '--yes')).toMatchObject({ code: 0, err: '' });
    expect(JSON.parse((await run('get', 'connectors', '-o', 'json')).out)).toEqual([]);
  });
}
