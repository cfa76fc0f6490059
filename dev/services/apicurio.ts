/** Runs Apicurio Registry, which keeps its schemas in memory, in a process that cannot outlive this one. */
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './free-port';
import { fetchJars, findJava } from './kafka-jars';
import { KeptProcess } from './kept-process';
import { waitFor } from './wait-for';

const NAME = 'Apicurio Registry';
const VERSION = '2.6.13.Final';
const STARTED = /Installed features/;

export interface Apicurio {
  /** Of the API that is Confluent's, without a slash at the end. */
  readonly url: string;
  readonly pid: number | undefined;
  /** May be called twice. */
  stop(): Promise<void>;
}

export interface ApicurioOptions {
  /** (Default: a free one) */
  readonly port?: number;
  /** Further properties of the server, e.g. `registry.auth.enabled`. */
  readonly properties?: Readonly<Record<string, string>>;
}

/** Takes about 2 s and 220 MB. Needs a JDK, and Maven the first time, which downloads 142 MB. */
export async function startApicurio({ port, properties = {} }: ApicurioOptions = {}): Promise<Apicurio> {
  const [java, program] = await Promise.all([findJava(NAME, ''), apicurioFolder()]);
  const own = port ?? (await freePort());
  const folder = await mkdtemp(join(tmpdir(), 'millrace-apicurio-'));
  const settings = {
    'java.io.tmpdir': folder,
    'quarkus.http.host': '127.0.0.1',
    'quarkus.http.port': String(own),
    'quarkus.log.console.color': 'false',
    ...properties,
  };
  const flags = ['-Xmx256m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', '-XX:-UsePerfData'];
  flags.push(...Object.entries(settings).map(([name, value]) => `-D${name}=${value}`));
  const server = new KeptProcess({
    command: java,
    args: [...flags, '-jar', join(program, `apicurio-registry-app-${VERSION}-runner.jar`)],
    folder,
    // Nothing is kept.
    signal: 'KILL',
  });
  const url = `http://127.0.0.1:${own}/apis/ccompat/v7`;
  try {
    await waitFor(
      `${NAME} to start`,
      async () => {
        if (server.exitCode !== undefined) throw new Error(`${NAME} has ended:\n${server.log()}`);
        return STARTED.test(server.log()) && (await fetch(`${url}/subjects`).catch(() => null))?.ok;
      },
      { detail: () => server.log() },
    );
  } catch (error) {
    await server.stop();
    throw error;
  }
  return { url, pid: server.pid, stop: async () => void (await server.stop()) };
}

async function apicurioFolder(): Promise<string> {
  return await fetchJars({
    pom: 'apicurio-pom.xml',
    folder: 'apicurio',
    what: NAME,
    version: VERSION,
    unpack: '**',
  });
}
