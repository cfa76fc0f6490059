/** Standard input in a task's thread, which a test's own process cannot show. Needs the build. */
import { spawn } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '../../../dev/services/paths';

/** The connector in a thread of a separate process, as a worker runs it: prints its records, and ends on "stop". */
const PROGRAM = `
  const { Worker, isMainThread } = require('node:worker_threads');
  if (isMainThread) new Worker(__filename);
  else void (async () => {
    const { fileStreamSource } = require(process.env.CONNECTOR);
    for (const round of [1, 2]) {
      const task = fileStreamSource.createTask();
      const aborter = new AbortController();
      const log = () => undefined;
      await task.start({ topic: 't' }, {
        signal: aborter.signal, logger: { info: log, warn: log },
        offsets: { offset: () => { throw new Error('nothing is stored for standard input'); } },
      });
      for (let going = true; going; ) {
        const records = await task.poll();
        if (records === null && round === 2) process.stdout.write('nothing more\\n');
        for (const { value, sourcePartition, sourceOffset } of records ?? []) {
          process.stdout.write(JSON.stringify([round, value, sourcePartition, sourceOffset]) + '\\n');
          if (value === 'stop') going = false;
        }
      }
      aborter.abort();
      await task.stop();
    }
  })();
`;
const CONNECTOR = join(ROOT, 'connectors', 'file', 'dist', 'index.js');

test.each(['pipe', 'file'] as const)(
  'connect-runtime 10.9: without a file, standard input (%s) is read in a task thread; a restarted task continues',
  async (kind) => {
    const folder = mkdtempSync(join(tmpdir(), 'millrace-stdin-'));
    try {
      const program = join(folder, 'program.js');
      writeFileSync(program, PROGRAM);
      writeFileSync(join(folder, 'in'), 'one\nstop\n');
      const stdin = kind === 'pipe' ? 'pipe' : openSync(join(folder, 'in'), 'r');
      const child = spawn(process.execPath, [program], {
        env: { ...process.env, CONNECTOR },
        stdio: [stdin, 'pipe', 'inherit'],
      });
      if (typeof stdin === 'number') closeSync(stdin);
      let text = '';
      const seen = (part: string): Promise<void> =>
        new Promise((resolve, reject) => {
          const look = (): void => {
            if (text.includes(part)) resolve();
          };
          child.stdout?.on('data', look);
          child.once('close', () => reject(new Error(`the process ended before it wrote ${part}`)));
          look();
        });
      child.stdout?.on('data', (chunk: Buffer) => (text += chunk.toString()));
      const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
      child.stdin?.write('one\nstop\n');
      await seen('[1,"stop",null,null]\n');
      // The second task has started to read.
      await seen('nothing more\n');
      if (kind === 'pipe') {
        child.stdin?.write('again\nstop\n');
        // Standard input stays open: the thread must end all the same.
        expect(await ended).toBe(0);
        expect(text.replaceAll('nothing more\n', '').split('\n')).toEqual([
          '[1,"one",null,null]',
          '[1,"stop",null,null]',
          '[2,"again",null,null]',
          '[2,"stop",null,null]',
          '',
        ]);
      } else {
        child.kill();
        await ended;
        expect(text).toMatch(/^\[1,"one",null,null\]\n\[1,"stop",null,null\]\n(nothing more\n)+$/);
      }
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
);
