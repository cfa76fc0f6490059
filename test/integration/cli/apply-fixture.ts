/** What `apply` must do on a worker of either kind: 50 file sources, twice, and again after it was killed. */
import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '../../../dev/services/paths';
import type { RunningWorker } from '../../../dev/services/worker';
import { uniqueName } from '../../helpers/unique-name';

const COUNT = 50;

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export class ApplyFixture {
  private readonly prefix = uniqueName('apply');

  private constructor(
    private readonly worker: RunningWorker,
    private readonly folder: string,
  ) {}

  static async create(worker: RunningWorker): Promise<ApplyFixture> {
    return new ApplyFixture(worker, await mkdtemp(join(tmpdir(), 'millrace-apply-')));
  }

  async close(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }

  async writeDocuments(): Promise<void> {
    const file = join(this.folder, 'lines.txt');
    await writeFile(file, 'a\n');
    for (let i = 0; i < COUNT; i++) {
      const config = {
        'connector.class': 'org.apache.kafka.connect.file.FileStreamSourceConnector',
        'tasks.max': 1,
        topic: `${this.prefix}-lines`,
        file,
      };
      const document = { name: `${this.prefix}-${i}`, config, labels: { team: this.prefix } };
      await writeFile(join(this.folder, `${i}.json`), JSON.stringify(document));
    }
  }

  /** @param killAt kills the command when stderr contains this text */
  async millrace(command: string, args: readonly string[] = [], killAt?: string): Promise<Ended> {
    const child = spawn(
      process.execPath,
      [join(ROOT, 'dist', 'main.js'), command, '-f', '.', '--url', this.worker.url, ...args],
      { cwd: this.folder, env: { PATH: process.env.PATH, HOME: this.folder } },
    );
    const said = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const)
      child[name].setEncoding('utf8').on('data', (text: string) => {
        said[name] += text;
        if (killAt !== undefined && said.stderr.includes(killAt)) child.kill('SIGKILL');
      });
    return await new Promise((resolve) => child.once('close', (code) => resolve({ code, ...said })));
  }

  /** A kill after the first change, then apply, apply again, and prune all of them. */
  async appliesTwice(): Promise<void> {
    await this.writeDocuments();
    const killed = await this.millrace('apply', [], ': created');
    expect(killed).toMatchObject({ code: null, stderr: expect.stringContaining(': created') });
    const first = await this.millrace('apply', ['--yes']);
    const [, created, unchanged] =
      /(\d+) to create, 0 to change, 0 to delete, (\d+) unchanged\.\n$/.exec(first.stdout) ?? [];
    expect([first.code, Number(created) + Number(unchanged)]).toEqual([0, COUNT]);
    expect(first.stderr.match(/: running$/gm) ?? []).toHaveLength(Number(created));
    expect(await this.millrace('apply')).toEqual({
      code: 0,
      stdout: `0 to create, 0 to change, 0 to delete, ${COUNT} unchanged.\n`,
      stderr: '',
    });
    expect((await this.millrace('diff')).code).toBe(0);
    await writeFile(join(this.folder, '0.json'), await this.changed());
    const changed = await this.millrace('apply', ['--yes']);
    expect(changed).toMatchObject({ code: 0, stdout: expect.stringContaining('+ batch.size: 10\n') });
    for (let i = 1; i < COUNT; i++) await rm(join(this.folder, `${i}.json`));
    const pruned = await this.millrace('apply', ['--prune', '--selector', `team=${this.prefix}`, '--yes']);
    expect(pruned).toMatchObject({ code: 0, stdout: expect.stringContaining(`${COUNT - 1} to delete, 1 unchanged.`) });
    const left = (await this.worker.request('GET', '/connectors')).json as string[];
    expect(left.filter((name) => name.startsWith(this.prefix))).toEqual([`${this.prefix}-0`]);
  }

  private async changed(): Promise<string> {
    const name = `${this.prefix}-0`;
    const config = (await this.worker.request('GET', `/connectors/${name}/config`)).json as Record<string, string>;
    return JSON.stringify({ name, config: { ...config, 'batch.size': '10' } });
  }
}
