/** The README's demo of the analytics sink, without Kafka and Java. */
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from '../../../dev/services/paths';

test('analytics-sink 1: npm run demo:analytics needs only Node; the document works once its placeholders are filled in', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-no-java-'));
  const called = join(folder, 'called');
  writeFileSync(join(folder, 'java'), `#!/bin/sh\n: >${called}\nexit 127\n`, { mode: 0o755 });
  const { BOOTSTRAP_SERVERS: _, JAVA_HOME: __, ...env } = process.env;
  const args = ['-r', join(ROOT, 'dev', 'register.js'), join(ROOT, 'dev', 'demos', 'analytics.ts')];
  const { stdout } = await promisify(execFile)(process.execPath, args, {
    cwd: ROOT,
    env: { ...env, PATH: `${folder}:${env.PATH}` },
  });
  expect(existsSync(called)).toBe(false);
  rmSync(folder, { recursive: true });
  const lines = readFileSync(join(ROOT, 'examples', 'storm-events.csv'), 'utf8')
    .trimEnd()
    .split('\n').length;
  expect(stdout).toContain(`storm-events.csv:${lines} partition 0 offset ${lines - 1}\n`);
  expect(stdout).toMatch(/ \d+ rows: the first file had its 10000 bytes and was ingested\n/);
  expect(stdout).toContain(` ${lines} rows: the rest was ingested when its 6 s were over`);
  expect(stdout).toMatch(/summarize count\(\) by EventType .*\n( {2}\S.* +\d+\n){3}/);
  expect(stdout).toMatch(/ {2}StormEvents\n {2}Stream_WrongNumberOfFields\n/);
  expect(stdout).toMatch(/"name":"storms","connector":\{"state":"RUNNING"/);
  expect(stdout).toContain('Every row is accounted for.');
});
