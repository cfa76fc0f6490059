/**
 * Compares Millrace's PostgreSQL source with Debezium's, record by record:
 * `npm run compare-with-debezium -- --pairs 100000 --plugin pgoutput --seed 1`. Exits with 1 if a difference is not
 * documented. Needs a JDK, and Maven the first time.
 *
 * With `--jar bytes`, Debezium's own connector runs on Millrace's side, too: in the JVM of the Java host, which
 * converts the records. With `--jar data`, Node.js converts them. Only what two runs of Debezium have of their own
 * may differ.
 */
import { parseArgs } from 'node:util';
import { seeded } from '../../test/helpers/seeded';
import { startDebianPostgres } from '../services/debian-postgres';
import { startPostgres } from '../services/postgres';
import { Comparison } from './comparison';
import { JarTask, type Transfer } from './jar-task';
import { JavaTask } from './java-task';
import { randomSettings } from './modes';
import { OwnTask } from './own-task';
import { Session } from './session';

const PAIRS_OF_SESSION = 10_000;

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      pairs: { type: 'string', default: '100000' },
      plugin: { type: 'string', default: 'pgoutput' },
      seed: { type: 'string', default: '1' },
      /** `key=value,…`, instead of random ones. */
      settings: { type: 'string' },
      /** `bytes` or `data`. */
      jar: { type: 'string' },
    },
  });
  const transfer = values.jar === undefined ? null : transferOf(values.jar);
  const wanted = Number(values.pairs);
  const plugin = values.plugin;
  const server = plugin === 'pgoutput' ? await startPostgres() : await startDebianPostgres(['decoderbufs']);
  const java = await JavaTask.create();
  const jar = transfer && (await JarTask.create(transfer));
  const comparison = new Comparison(plugin, undefined, jar !== null);
  const log = (line: string): void => void process.stdout.write(`${line}\n`);
  try {
    for (let seed = Number(values.seed); comparison.pairs < wanted; seed++) {
      const modes = values.settings === undefined ? randomSettings(seeded(seed)) : settingsOf(values.settings);
      const before = comparison.pairs;
      const pairs = Math.min(PAIRS_OF_SESSION, wanted - before);
      const began = Date.now();
      const settings = { ...modes, 'plugin.name': plugin };
      const session = { serverUrl: server.url, database: `compared_${seed}`, seed, pairs, settings };
      let ending = '';
      await Session.run(session, java, jar ?? new OwnTask(), comparison).catch((error: Error) => {
        ending = `: ${error.message.slice(0, 2000)}`;
        comparison.failed(`seed ${seed}${ending}`);
      });
      const seconds = Math.round((Date.now() - began) / 1000);
      log(
        `seed ${seed}, ${JSON.stringify(modes)}: ${comparison.pairs - before} pairs in ${seconds} s, ${comparison.unexplainedCount} unexplained so far${ending}`,
      );
      if (comparison.pairs === before) break;
    }
  } finally {
    await Promise.all([java.close(), jar?.close()]);
    await server.stop();
  }
  log(`\n${comparison.report()}`);
  return comparison.unexplainedCount === 0 ? 0 : 1;
}

function transferOf(text: string): Transfer {
  if (text === 'bytes' || text === 'data') return text;
  throw new Error(`--jar is bytes or data, not ${text}.`);
}

function settingsOf(text: string): Record<string, string> {
  return Object.fromEntries(
    text
      .split(',')
      .filter((pair) => pair !== '')
      .map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]),
  );
}

void main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    process.stderr.write(`${(error as Error).stack}\n`);
    process.exit(1);
  },
);
