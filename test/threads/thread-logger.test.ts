import { LogLevels } from '../../src/logging/log-levels';
import { ThreadLogger, type LogLine } from '../../src/threads/thread-logger';

test('connect-rest 145: only enabled levels leave the thread, from the moment the level changes', () => {
  const posted: unknown[] = [];
  const levels = new LogLevels();
  const task = new ThreadLogger((message: LogLine) => posted.push(message), levels).child(
    { connector: 'c', task: 0 },
    'org.example.Task',
  );
  task.debug('no');
  levels.set('org.example', 'DEBUG');
  task.debug('yes', { n: 1 });
  task.trace('no');
  levels.set('root', 'ERROR');
  task.warn('no');
  expect(posted).toEqual([
    {
      type: 'log',
      level: 'debug',
      name: 'org.example.Task',
      line: { message: 'yes', fields: { connector: 'c', task: 0, n: 1 }, stacks: [] },
    },
  ]);
});

test('everything that leaves the thread is redacted, bounded and cloneable', () => {
  const posted: LogLine[] = [];
  const logger = new ThreadLogger((message: LogLine) => posted.push(structuredClone(message)));
  const error = Object.assign(new Error('a.'.repeat(40_000)), { code: 'C', run: () => 1 });
  logger.info('password=x', { error, f: () => 1, record: 'a.'.repeat(500_000) });
  expect(posted).toEqual([
    {
      type: 'log',
      level: 'info',
      name: null,
      line: {
        message: 'password=[hidden]',
        fields: {
          error: { code: 'C', message: expect.stringMatching(/^(a\.){1024}… \(77,952 more characters\)$/) },
          f: undefined,
          record: expect.stringContaining('… (997,952 more characters)'),
        },
        stacks: [expect.stringMatching(/\n {4}at /)],
      },
    },
  ]);
  expect(JSON.stringify(posted).length).toBeLessThan(16_000);
});
