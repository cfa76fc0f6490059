/** `millrace doctor` as a user runs it, in a folder of its own. */
import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Finding } from '@millrace/sdk';
import { ROOT } from '../../../dev/services/paths';
import { writeProperties } from '../../../dev/services/worker';
import type { Report } from '../../../src/cli/verbs/doctor/report';

export interface Answer {
  readonly code: number | null;
  readonly report: Report;
  readonly stdout: string;
}

export class DoctorCommand {
  private constructor(readonly folder: string) {}

  static async create(): Promise<DoctorCommand> {
    return new DoctorCommand(await mkdtemp(join(tmpdir(), 'millrace-doctor-')));
  }

  async remove(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }

  /** In an environment with nothing but what is given. */
  async text(args: readonly string[], env: Record<string, string> = {}): Promise<Omit<Answer, 'report'>> {
    const child = spawn(process.execPath, [join(ROOT, 'dist', 'main.js'), 'doctor', ...args], {
      cwd: this.folder,
      env: { PATH: process.env.PATH, HOME: this.folder, ...env },
    });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
    if (stderr !== '') throw new Error(stderr);
    return { code, stdout };
  }

  async run(args: readonly string[], env: Record<string, string> = {}): Promise<Answer> {
    const answer = await this.text([...args, '-o', 'json'], env);
    return { ...answer, report: JSON.parse(answer.stdout) as Report };
  }

  /** Worker settings. */
  async settingsFile(group: string, settings: Record<string, string> = {}): Promise<string> {
    return await writeProperties(await mkdtemp(join(this.folder, 'settings-')), 1, { group, settings });
  }

  /** A document of a connector. */
  async documentFile(config: Record<string, string>, name = 'shop'): Promise<string> {
    const file = join(await mkdtemp(join(this.folder, 'document-')), 'connector.json');
    await writeFile(file, JSON.stringify({ name, config }));
    return file;
  }
}

export const codes = ({ report }: Answer): string[] =>
  report.findings.map(({ severity, code }) => `${severity} ${code}`);

/** The finding with this code. */
export function found({ report }: Answer, code: string): Finding {
  const finding = report.findings.find((one) => one.code === code);
  if (finding === undefined) throw new Error(`there is no ${code} in ${JSON.stringify(report.findings)}`);
  return finding;
}

/** Runs the statements of a finding in a shell. Resolves with what they print; rejects if one fails. */
export async function runInShell({ statements = [] }: Finding): Promise<string> {
  let printed = '';
  for (const statement of statements) {
    const child = spawn('/bin/sh', ['-c', statement], { stdio: ['ignore', 'pipe', 'inherit'] });
    child.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text));
    const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
    if (code !== 0) throw new Error(`${statement} ended with ${code}`);
  }
  return printed;
}
