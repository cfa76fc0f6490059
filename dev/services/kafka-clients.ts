/** Third parties' Kafka clients that tests run against the embedded broker, fetched into the cache. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { unzipSync } from 'fflate';
import { remove } from 'fs-extra';
import { goBuild } from './go-tools';
import { keptDownload } from './kept-download';
import { cacheFolder } from './paths';
import { pipDownload } from './python-packages';

export const KAFKA_PYTHON = '3.0.12';
/** Also a name by which kcat finds it. */
const LIBRARY = 'librdkafka.so.1';
/** The library in the wheel does not depend on the version of Python that the wheel is for. */
const WHEEL = ['--python-version', '3.10', ...['2014', '_2_17', '_2_28'].flatMap((os) => platform(`manylinux${os}`))];

function platform(name: string): string[] {
  return ['--platform', `${name}_x86_64`];
}

/** Null, or why there is no librdkafka of other versions for this machine. */
export function whyNoLibrdkafka(): string | null {
  return process.platform === 'linux' && process.arch === 'x64'
    ? null
    : `Versions of librdkafka are tested on linux-x64, and this machine is ${process.platform}-${process.arch}.`;
}

/**
 * Downloads 3 to 5 MB the first time, from the Python client with the same version. Resolves with a folder for
 * `LD_LIBRARY_PATH`.
 */
export async function fetchLibrdkafka(version: string): Promise<string> {
  return await keptDownload({
    folder: join(cacheFolder(), 'librdkafka', version),
    mark: { file: 'version', text: version },
    fill: async (partial) => {
      await pipDownload('confluent-kafka', version, partial, WHEEL);
      const wheel = wheelIn(partial);
      const files = unzipSync(await readFile(wheel), { filter: ({ name }) => /\/librdkafka-[^/]*\.so/.test(name) });
      const [library, ...more] = Object.values(files);
      if (!library || more.length > 0) throw new Error(`${wheel} does not contain exactly one librdkafka.`);
      await writeFile(join(partial, LIBRARY), library);
      await remove(wheel);
    },
  });
}

/** Downloads 1 MB the first time. Resolves with an archive for `PYTHONPATH`. */
export async function fetchKafkaPython(): Promise<string> {
  const folder = await keptDownload({
    folder: join(cacheFolder(), 'kafka-python'),
    mark: { file: 'version', text: KAFKA_PYTHON },
    fill: async (partial) => await pipDownload('kafka-python', KAFKA_PYTHON, partial),
  });
  return wheelIn(folder);
}

/** Builds the program of a folder that uses franz-go, the first time in about a minute. Resolves with the program. */
export async function buildFranzGo(sources: string): Promise<string> {
  const hash = createHash('sha256');
  for (const name of readdirSync(sources).sort()) hash.update(readFileSync(join(sources, name)));
  const program = 'franz-go';
  const folder = await keptDownload({
    folder: join(cacheFolder(), program),
    mark: { file: 'sources.sha256', text: hash.digest('hex') },
    fill: async (partial) => await goBuild(sources, join(partial, program)),
  });
  return join(folder, program);
}

function wheelIn(folder: string): string {
  const name = readdirSync(folder).find((file) => file.endsWith('.whl'));
  if (name === undefined) throw new Error(`pip has downloaded no wheel into ${folder}.`);
  return join(folder, name);
}
