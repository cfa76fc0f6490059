/** One JVM of the Java host, without its supervisor. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { builtJavaHost } from '../../../dev/services/java-host';
import { findJava } from '../../../dev/services/kafka-jars';
import { connectHost } from '../../../packages/java-host/src/connection/connect-host';
import type { HostSession } from '../../../packages/java-host/src/connection/host-session';
import type { HostMap } from '../../../packages/java-host/src/wire/host-value';
import { waitFor } from '../../helpers/wait-for';

export interface StartedHost {
  open(session: HostMap): Promise<HostSession>;
  kill(): void;
  /** Ends its standard input, and resolves with how it ended. */
  stop(): Promise<{ readonly code: number | null; readonly output: string }>;
}

/** @param folders with the jars of plugins */
export async function startHost(...folders: readonly string[]): Promise<StartedHost> {
  const [java, jars] = await Promise.all([findJava('The Java host'), builtJavaHost()]);
  const classPath = [join(jars, 'api'), ...folders, join(jars, 'kafka')].map((folder) => join(folder, '*'));
  const folder = await mkdtemp(join(tmpdir(), 'host-'));
  const socket = join(folder, 's');
  const flags = ['-XX:TieredStopAtLevel=1', '-Duser.language=en', '-Duser.country=US', '-Duser.timezone=UTC'];
  const child = spawn(java, [...flags, '-cp', classPath.join(delimiter), 'io.millrace.host.Main', socket], {
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const output = Promise.all([text(child.stdout), text(child.stderr)]);
  const ended = once(child, 'close');
  await waitFor('the JVM', () => existsSync(socket) || child.exitCode !== null);
  return {
    open: (session) => connectHost(socket, session),
    kill: () => child.kill('SIGKILL'),
    stop: async () => {
      child.stdin.end();
      const [code] = (await ended) as [number | null];
      await rm(folder, { recursive: true, force: true });
      return { code, output: (await output).join('') };
    },
  };
}
