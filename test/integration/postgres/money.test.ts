/**
 * Amounts in a currency whose smallest unit is not a hundredth, on a dedicated server with locales built for it.
 * Source: cdc-postgres §3.1.
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres, type RunningPostgres } from '../../../dev/services/postgres';
import { TestDatabase } from '../../helpers/test-database';
import { TaskRun, taskConfig, type AnyRecord } from './harness';

const folder = mkdtempSync(join(tmpdir(), 'millrace-locales-'));
chmodSync(folder, 0o755);
/** Fraction digits of the currency of each locale. */
const LOCALES = { 'ja_JP.UTF-8': 0, 'en_US.UTF-8': 2, 'ar_BH.UTF-8': 3 } as const;
const missing = Object.keys(LOCALES).filter((name) => {
  const [source = '', charmap = ''] = name.split('.');
  return spawnSync('localedef', ['-i', source, '-f', charmap, join(folder, name)]).status !== 0;
});
if (missing.length > 0) process.stderr.write(`SKIPPED: localedef cannot build ${missing.join(', ')} here\n`);
const describeWithLocales = missing.length > 0 ? describe.skip : describe;

describeWithLocales('cdc-postgres 55: money in the currency of the server', () => {
  let server: RunningPostgres;
  beforeAll(async () => {
    process.env.LOCPATH = folder;
    server = await startPostgres();
  });
  afterAll(async () => {
    delete process.env.LOCPATH;
    await server?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  test.each([
    ['ja_JP.UTF-8', '1234567', 'precise', { unscaled: 123456700n, scale: 2 }],
    ['ja_JP.UTF-8', '1234567', 'string', '1234567'],
    ['ja_JP.UTF-8', '-1234567', 'double', -1234567],
    ['en_US.UTF-8', '1234.56', 'precise', { unscaled: 123456n, scale: 2 }],
    ['ar_BH.UTF-8', '1.234', 'string', '1.234'],
    ['ar_BH.UTF-8', '1.236', 'precise', { unscaled: 124n, scale: 2 }],
  ])('lc_monetary=%s: %s in %s mode, by snapshot and by stream', async (locale, amount, mode, expected) => {
    const database = await TestDatabase.create('', { server: server.url });
    let run: TaskRun | null = null;
    try {
      await database.query(
        `ALTER DATABASE ${database.name} SET lc_monetary = '${locale}'; SET lc_monetary = '${locale}'`,
      );
      await database.query(`CREATE TABLE v (id int, m money); INSERT INTO v VALUES (1, (${amount})::numeric::money)`);
      run = await TaskRun.start(taskConfig(database, { 'decimal.handling.mode': mode }));
      await run.count(1);
      await database.query('INSERT INTO v SELECT 2, m FROM v');
      const [read, created] = (await run.count(2)) as [AnyRecord, AnyRecord];
      expect([read.value.after.m, created.value.after.m]).toEqual([expected, expected]);
    } finally {
      await run?.stop();
      await database.drop();
    }
  });
});
