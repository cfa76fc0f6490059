/** Log lines of a program that exits immediately. */
import { spawnSync } from 'node:child_process';
import { ROOT } from '../../../../dev/services/paths';

const PROGRAM = `
  const log = require('./apps/users/src/logging/log.ts').createLog('info');
  for (let i = 0; i < 20; i++) log.info(String(i));
  log.fatal('the end');
  process.exit(1);
`;

test('lines are logged in order, the exit reason last', () => {
  const args = ['-r', './dev/register.js', '-e', PROGRAM];
  const { status, stdout } = spawnSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8' });
  const lines = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { level: string; msg: string });
  expect([status, lines.map(({ msg }) => msg)]).toEqual([
    1,
    [...Array.from({ length: 20 }, (_, i) => `${i}`), 'the end'],
  ]);
});
