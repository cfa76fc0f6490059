/** Runs the command blocks of a page in their order, as a reader does in the terminals of one machine. */
import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { removeSync } from 'fs-extra';
import { freePort } from '../../../dev/services/free-port';
import { withoutNpmVariables } from '../../../dev/services/npm-environment';
import { ROOT } from '../../../dev/services/paths';
import { blocksIn, type Block, type Marker } from '../../helpers/command-blocks';
import { Terminal } from '../../helpers/terminal';
import { waitFor } from '../../helpers/wait-for';
import { ForegroundCommand, processesOf } from '../install/foreground';

/** Of one block. */
const LIMIT_MS = 240_000;

type Step = Block & { readonly marker: Extract<Marker, { kind: 'test' }> };
interface Result {
  readonly status: number;
  /** Of both streams, as a terminal shows it. */
  readonly output: string;
}

/** What a page has done by other means than commands, by the name in its comments. */
export type Actions = Readonly<Record<string, () => Promise<void>>>;

/** A command in a terminal of its own. */
interface Background {
  pressCtrlC(): void;
  exitStatus(): Promise<number | null>;
  kill(): void;
}

export interface ScenarioOptions {
  /** Of a broker that is running. (Default: a free one) */
  readonly kafkaPort?: number;
  /** Replaced in commands and files; in outputs back again. Ports 8083 and 9092 are always replaced by free ones. */
  readonly replace?: Readonly<Record<string, string>>;
  readonly env?: NodeJS.ProcessEnv;
}

export class Scenario {
  private readonly place = mkdtempSync(join(tmpdir(), 'millrace-page-'));
  /** Where the commands run. */
  readonly folder = join(this.place, 'work');
  private readonly state = join(this.place, 'state');
  private readonly background: Background[] = [];

  private constructor(
    /** Port of REST, and of Kafka. */
    readonly ports: { readonly rest: number; readonly kafka: number },
    private readonly env: NodeJS.ProcessEnv,
    private readonly replacements: [from: string, to: string][],
  ) {
    // PostgreSQL does not run as root, so another user must reach the folder.
    for (const folder of [this.place, this.folder]) mkdirSync(folder, { recursive: true });
    for (const folder of [this.place, this.folder]) chmodSync(folder, 0o755);
    this.program('millrace', `exec "${process.execPath}" "${join(ROOT, 'dist', 'main.js')}" "$@"`);
    this.program('npx', 'exec "$@"');
    // curl retries while a rebalance is in progress, and fails on other errors, too.
    writeFileSync(join(this.place, '.curlrc'), 'silent\nshow-error\nfail-with-body\nretry 5\nretry-all-errors\n');
    writeFileSync(this.state, `cd "${this.folder}"\n`);
  }

  static async create({ replace = {}, env = {}, kafkaPort }: ScenarioOptions = {}): Promise<Scenario> {
    const ports = { rest: await freePort(), kafka: kafkaPort ?? (await freePort()) };
    const addresses = { ':8083': `:${ports.rest}`, ':9092': `:${ports.kafka}` };
    const { BOOTSTRAP_SERVERS: _, ...own } = withoutNpmVariables(process.env);
    const settings = {
      MILLRACE_URL: `http://localhost:${ports.rest}`,
      CONNECT_LISTENERS: `http://127.0.0.1:${ports.rest}`,
      CONNECT_EMBEDDED_PORT: String(ports.kafka),
      CONNECT_OFFSET_FLUSH_INTERVAL_MS: '200',
      NO_COLOR: '1',
    };
    return new Scenario(ports, { ...own, ...settings, ...env }, Object.entries({ ...replace, ...addresses }));
  }

  /** Runs the steps of a page. @param name in the comments of its blocks */
  async run(page: string, name: string, actions: Actions = {}): Promise<void> {
    const isStep = (block: Block): block is Step => block.marker?.kind === 'test' && block.marker.scenario === name;
    const steps = blocksIn(readFileSync(join(ROOT, page), 'utf8')).filter(isStep);
    expect(steps.length).toBeGreaterThan(0);
    for (const step of steps) {
      try {
        await this.step(step, actions);
      } catch (error) {
        throw new Error(`${page}:${step.line}: ${(error as Error).message}`, { cause: error });
      }
    }
  }

  /** A worker with its own broker, in the background. */
  async dev(): Promise<void> {
    await this.start('millrace dev', 'Millrace is ready');
  }

  /** For what a page takes for granted: runs commands that it does not show. */
  async given(commands: string): Promise<void> {
    const { status, output } = await this.inShell(this.replaced(commands));
    if (status !== 0) throw new Error(`exit code ${status}:\n${output}`);
  }

  /** From now on, in commands and files; in outputs back again. */
  replace(from: string, to: string): void {
    this.replacements.push([from, to]);
  }

  write(file: string, text: string): void {
    const path = join(this.folder, file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, this.replaced(text));
  }

  /** What is left in the background ends. */
  async end(): Promise<void> {
    for (const command of this.background.splice(0).reverse()) await this.stop(command);
    await waitFor('the processes of the scenario to end', () => processesOf(this.place).length === 0);
    removeSync(this.place);
  }

  private async stop(command: Background): Promise<void> {
    try {
      command.pressCtrlC();
      await command.exitStatus();
    } catch {
      // It has ended before, or does not end in time.
    }
    command.kill();
  }

  private async step({ marker, language, text, file, output }: Step, actions: Actions): Promise<void> {
    if (language === null) {
      const action = actions[marker.action ?? ''];
      if (action) return await action();
      if (!marker.ctrlC) throw new Error('a comment without a block, and without an action of the test');
      const command = this.background.pop();
      command?.pressCtrlC();
      expect(await command?.exitStatus()).toBe(marker.exit);
    } else if (file !== undefined) {
      // In the folder of the session, which a command may have changed.
      const { output: folder } = await this.inShell('pwd');
      mkdirSync(dirname(join(folder.trim(), file)), { recursive: true });
      writeFileSync(join(folder.trim(), file), `${this.replaced(text)}\n`);
    } else if (marker.until !== undefined) await this.start(text, marker.until, marker.terminal);
    else if (marker.eventually) await this.eventually(text, marker.exit, output);
    else this.check(await this.inShell(this.replaced(text)), marker.exit, output);
  }

  private check({ status, output }: Result, exit: number, expected?: string): void {
    const shown = this.shown(output);
    if (status !== exit) throw new Error(`exit code ${status} instead of ${exit}:\n${shown}`);
    if (expected !== undefined) expect(`${shown.trim()}\n`).toMatch(patternOf(expected));
  }

  private async eventually(text: string, exit: number, expected?: string): Promise<void> {
    let last: unknown;
    const attempt = async () => {
      try {
        this.check(await this.inShell(this.replaced(text)), exit, expected);
        return true;
      } catch (error) {
        last = error;
        return false;
      }
    };
    await waitFor(`the output of ${text}`, attempt, { detail: () => String(last) });
  }

  /** Runs a command in a terminal of its own, until it prints a text. */
  async start(text: string, until: string, inTerminal = false): Promise<void> {
    const script = `set -e\n. "${this.state}"\n${this.replaced(text)}`;
    if (inTerminal) {
      const file = join(this.place, 'script');
      writeFileSync(file, script);
      const terminal = new Terminal(`bash "${file}"`, this.environment);
      this.background.push({
        pressCtrlC: () => terminal.type('\x03'),
        exitStatus: () => terminal.exited(),
        kill: () => terminal.kill(),
      });
      return await terminal.shows(until);
    }
    const place = { place: this.place, env: this.environment };
    const command = new ForegroundCommand(place, this.folder, ['bash', '-c', script]);
    this.background.push(command);
    await command.prints(new RegExp(until.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')));
  }

  /** The variables and the folder of the session are kept. */
  private async inShell(text: string): Promise<Result> {
    const script = `set -e\n. "${this.state}"\nexec 2>&1\n${text}\n{ export -p; echo "cd \\"$PWD\\""; } >"${this.state}"`;
    const env = this.environment;
    const shell = spawn('bash', ['-c', script], {
      cwd: this.folder,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: LIMIT_MS,
    });
    let output = '';
    for (const stream of [shell.stdout, shell.stderr])
      stream.setEncoding('utf8').on('data', (data) => (output += data));
    const status = await new Promise<number>((resolve) => shell.once('close', (code) => resolve(code ?? 128)));
    return { status, output };
  }

  private get environment(): NodeJS.ProcessEnv {
    const PATH = `${join(this.place, 'bin')}${delimiter}${process.env.PATH}`;
    return { ...this.env, PATH, CURL_HOME: this.place, XDG_CONFIG_HOME: join(this.place, 'settings') };
  }

  private program(name: string, text: string): void {
    const file = join(this.place, 'bin', name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  }

  private replaced(text: string): string {
    return this.replacements.reduce((result, [from, to]) => result.replaceAll(from, to), text);
  }

  private shown(output: string): string {
    return this.replacements.reduceRight((result, [from, to]) => result.replaceAll(to, from), output);
  }
}

/** `…` is any text of a line; a line with nothing else, any lines. */
export function patternOf(expected: string): RegExp {
  const lines = expected.split('\n').map((line) => {
    if (line === '…') return '(?:.*\\n)*?';
    return `${line.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll('…', '.*')} *\\n`;
  });
  return new RegExp(`^${lines.join('')}$`);
}
