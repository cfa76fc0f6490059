/**
 * Compares Millrace's Avro converter with Confluent's, schema text by schema text and byte by byte:
 * `npm run compare-with-avro-converter -- --cases 20000 --databases 20 --seed 1`. Exits with 1 if a difference is not
 * explained. Needs a JDK, and Maven the first time.
 */
import { parseArgs } from 'node:util';
import { seeded } from '../../test/helpers/seeded';
import { randomSettings } from '../debezium/modes';
import { startPostgres } from '../services/postgres';
import { compareEnvelopes } from './envelopes';
import { JavaConverter } from './java-converter';
import { Tally } from './tally';
import { settings } from './words';

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      cases: { type: 'string', default: '20000' },
      /** Of the first case; each next has the next one. */
      seed: { type: 'string', default: '1' },
      /** Databases whose change events are compared too, each with other modes. */
      databases: { type: 'string', default: '0' },
      /** Kinds of differences that are shown. */
      kinds: { type: 'string', default: '20' },
    },
  });
  const java = await JavaConverter.create();
  try {
    const tally = new Tally(java);
    const seed = Number(values.seed);
    await tally.run(seed, Number(values.cases));
    await compareDatabases(java, tally, seed, Number(values.databases));
    process.stdout.write(`${await tally.report(Number(values.kinds))}\n`);
    return tally.kinds.size === 0 ? 0 : 1;
  } finally {
    await java.close();
  }
}

async function compareDatabases(java: JavaConverter, tally: Tally, first: number, count: number): Promise<void> {
  if (count === 0) return;
  const server = await startPostgres();
  try {
    for (let seed = first; seed < first + count; seed++) {
      const random = seeded(seed);
      const modes = randomSettings(random);
      const own = settings(random);
      const before = tally.compared - tally.refused;
      const database = `avro_${seed}`;
      await compareEnvelopes(java, tally, {
        serverUrl: server.url,
        database,
        seed,
        modes,
        settings: own,
        changes: 100,
      });
      const events = tally.compared - tally.refused - before;
      process.stdout.write(`${events} keys and values of ${JSON.stringify(modes)} with ${JSON.stringify(own)}\n`);
    }
  } finally {
    await server.stop();
  }
}

void main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    process.stderr.write(`${(error as Error).stack}\n`);
    process.exit(1);
  },
);
