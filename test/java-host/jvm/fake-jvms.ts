/** A supervisor whose `java` is fake-java.js, and the log that it writes. */
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JvmLevel, JvmLine, JvmLog } from '../../../packages/java-host/src/jvm/jvm-log';
import type { JvmSettings } from '../../../packages/java-host/src/jvm/jvm-settings';
import { JvmSupervisor } from '../../../packages/java-host/src/jvm/jvm-supervisor';
import type { JvmKey } from '../../../packages/java-host/src/jvm/jvms';

export class MemoryLog implements JvmLog {
  readonly lines: JvmLine[] = [];
  readonly names = new Set<string>();
  private readonly listeners = new Set<(namespace: string, level: JvmLevel) => void>();
  private readonly waiting = new Set<() => void>();

  write(line: JvmLine): void {
    this.lines.push(line);
    for (const check of this.waiting) check();
  }

  hide(text: string, connectors: readonly string[]): string {
    return connectors.reduce((hidden, name) => hidden.replaceAll(`secret-of-${name}`, '[hidden]'), text);
  }

  loggers(names: readonly string[]): void {
    for (const name of names) this.names.add(name);
  }

  levels(): readonly (readonly [string, JvmLevel])[] {
    return [['root', 'INFO']];
  }

  onLevel(listener: (namespace: string, level: JvmLevel) => void): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  setLevel(namespace: string, level: JvmLevel): void {
    for (const listener of this.listeners) listener(namespace, level);
  }

  /** Resolves with the first line, of those so far or later ones, that contains the text. */
  async line(text: string): Promise<JvmLine> {
    return await new Promise((resolve) => {
      const check = (): void => {
        const found = this.lines.find(({ message }) => message.includes(text));
        if (!found) return;
        this.waiting.delete(check);
        resolve(found);
      };
      this.waiting.add(check);
      check();
    });
  }
}

export const SETTINGS: JvmSettings = {
  ...{ home: null, options: '', heapMb: 512, maxHeapMb: 2048, environment: [] },
  ...{ startTimeoutMs: 20_000, idleMs: 60_000, silenceMs: 0, maxJvms: null, mbeanDomains: ['debezium.*'] },
};

export class FakeJvms {
  readonly folder = mkdtempSync(join(tmpdir(), 'fake-java-'));
  readonly log = new MemoryLog();
  private readonly supervisors: JvmSupervisor[] = [];

  constructor(program = 'java') {
    mkdirSync(join(this.folder, 'bin'), { recursive: true });
    for (const jars of ['api', 'kafka']) {
      mkdirSync(join(this.folder, 'jars', jars), { recursive: true });
      writeFileSync(join(this.folder, 'jars', jars, `${jars}.jar`), '');
    }
    const java = join(this.folder, 'bin', program);
    writeFileSync(java, `#!/bin/sh\nexec '${process.execPath}' '${join(__dirname, 'fake-java.js')}' "$@"\n`);
    chmodSync(java, 0o755);
  }

  /** @param kinds how the JVMs behave: see fake-java.js */
  supervisor(kinds = '', settings: Partial<JvmSettings> = {}, env: Record<string, string> = {}): JvmSupervisor {
    const supervisor = new JvmSupervisor({
      settings: { ...SETTINGS, ...settings, options: `-Dfake=${kinds}` },
      log: this.log,
      env: { JAVA_HOME: this.folder, PATH: '/usr/bin:/bin', ...env },
      jarsFolder: join(this.folder, 'jars'),
    });
    this.supervisors.push(supervisor);
    return supervisor;
  }

  /** Of a folder of jars with these files. */
  key(name: string, files: Readonly<Record<string, string>> = {}): JvmKey {
    const location = join(this.folder, name);
    mkdirSync(location, { recursive: true });
    for (const [file, content] of Object.entries(files)) writeFileSync(join(location, file), content);
    return { location, classPath: [join(location, 'a.jar')] };
  }

  async close(): Promise<void> {
    await Promise.all(this.supervisors.map(async (one) => await one.close()));
    rmSync(this.folder, { recursive: true, force: true });
  }
}
