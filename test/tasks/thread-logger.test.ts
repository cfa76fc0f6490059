import { LogLevels } from '../../src/logging/log-levels';
import { ThreadLogger } from '../../src/tasks/thread-logger';
import type { FromThread } from '../../src/tasks/thread-messages';

test('connect-rest 145: only what its level lets pass leaves the thread, from the moment the level changes', () => {
  const posted: unknown[] = [];
  const levels = new LogLevels();
  const task = new ThreadLogger((message: FromThread) => posted.push(message), levels).child(
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
      message: 'yes',
      fields: { connector: 'c', task: 0, n: 1 },
    },
  ]);
});

test('what cannot cross goes as text', () => {
  const posted: unknown[] = [];
  let first = true;
  const logger = new ThreadLogger((message: FromThread) => {
    if (first) {
      first = false;
      throw new Error('could not be cloned');
    }
    posted.push(message);
  });
  logger.info('m', { error: new Error('e'), f: 1 });
  expect(posted).toEqual([{ type: 'log', level: 'info', name: null, message: 'm', fields: { error: 'e', f: '1' } }]);
});
