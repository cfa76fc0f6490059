/** Runs the schema registry in a separate process, which can be frozen, and killed and restarted with its data. */
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './free-port';
import { ROOT } from './paths';
import { Restartable } from './restartable';
import { waitFor } from './wait-for';

export interface RegistryProcess {
  readonly url: string;
  /** Stops it with SIGSTOP, or kills it with SIGKILL. */
  leave(how: 'frozen' | 'killed'): Promise<void>;
  /** On the same port, with its data. */
  comeBack(): Promise<void>;
  /** The id of a schema in Avro. */
  register(subject: string, schema: object | string): Promise<number>;
  stop(): Promise<void>;
}

export async function startRegistryProcess(): Promise<RegistryProcess> {
  const [port, folder] = await Promise.all([freePort(), mkdtemp(join(tmpdir(), 'millrace-registry-'))]);
  const program = join(ROOT, 'dev', 'services', 'schema-registry-process.ts');
  const url = `http://127.0.0.1:${port}`;
  const registry = new Restartable(
    {
      command: process.execPath,
      args: ['-r', join(ROOT, 'dev', 'register.js'), program, String(port), join(folder, 'schemas')],
      folder,
      signal: 'KILL',
    },
    async (run) => {
      await waitFor('the registry to serve', () => {
        if (run.exitCode !== undefined) throw new Error(`the registry did not start:\n${run.log()}`);
        return run.log().includes('serving at ');
      });
    },
  );
  await registry.start();
  return {
    url,
    async leave(how) {
      if (how === 'killed') await registry.crash();
      else process.kill(registry.pid as number, 'SIGSTOP');
    },
    async comeBack() {
      if (registry.pid === undefined) await registry.start();
      else process.kill(registry.pid, 'SIGCONT');
    },
    async register(subject, schema) {
      const response = await fetch(`${url}/subjects/${subject}/versions`, {
        method: 'POST',
        body: JSON.stringify({ schema: JSON.stringify(schema) }),
        headers: { 'content-type': 'application/vnd.schemaregistry.v1+json' },
      });
      const { id } = (await response.json()) as { id?: number };
      if (id === undefined) throw new Error(`the registry refuses the schema with HTTP status ${response.status}`);
      return id;
    },
    stop: () => registry.stop(),
  };
}
