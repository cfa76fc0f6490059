import { PassThrough } from 'node:stream';
import { LogLevels } from '../../src/logging/log-levels';
import { about } from '../../src/logging/line-subject';
import { RecentLines } from '../../src/logging/recent-lines';
import { createLogger } from '../../src/logging/winston-logger';
import { ThreadLogger, writeLine } from '../../src/threads/thread-logger';

function lineOf(text: string, at = 0): Parameters<RecentLines['add']>[1] {
  return { at, level: 'info', logger: 'x', text };
}
const texts = (recent: RecentLines, connector: string): string[] => recent.of(connector).map(({ text }) => text);

describe('bounds', () => {
  test('each connector keeps its newest lines', () => {
    const recent = new RecentLines({ linesPerConnector: 2, bytes: 1e6, text: 100 });
    for (const text of ['1', '2', '3']) recent.add({ connector: 'a', task: null }, lineOf(text));
    recent.add({ connector: 'b', task: 7 }, lineOf('4', 5));
    expect(texts(recent, 'a')).toEqual(['2', '3']);
    expect(recent.of('b')).toEqual([{ sequence: 4, at: 5, level: 'info', logger: 'x', task: 7, text: '4' }]);
    expect(recent.of('none')).toEqual([]);
  });

  test('of all connectors together, the oldest lines go first', () => {
    const recent = new RecentLines({ linesPerConnector: 100, bytes: 1_000, text: 100 });
    for (let line = 1; line <= 50; line++)
      recent.add({ connector: line % 2 === 0 ? 'even' : 'odd', task: null }, lineOf(String(line)));
    expect([...texts(recent, 'odd'), ...texts(recent, 'even')].sort()).toEqual(['47', '48', '49', '50']);
    for (let line = 51; line <= 60; line++) recent.add({ connector: 'third', task: null }, lineOf(String(line)));
    expect([...texts(recent, 'odd'), ...texts(recent, 'even')]).toEqual([]);
  });

  test('a long line is cut, and its default bound is 4 KB', () => {
    const recent = new RecentLines();
    recent.add({ connector: 'a', task: null }, lineOf('x'.repeat(10_000)));
    const [text] = texts(recent, 'a');
    expect(text).toHaveLength(2_048);
    expect(text?.endsWith('x…')).toBe(true);
  });
});

describe('lines of the logger', () => {
  const setup = (
    levels = new LogLevels(),
  ): { recent: RecentLines; logger: ReturnType<typeof createLogger>; printed: () => string } => {
    const recent = new RecentLines();
    const stream = new PassThrough();
    return { recent, logger: createLogger({ recent, levels, stream }), printed: () => String(stream.read() ?? '') };
  };

  test('are kept if they name a connector, redacted as printed, with their error', () => {
    const { recent, logger, printed } = setup();
    const task = logger.child({ connector: 'c', task: 0 }, 'millrace.tasks');
    task.error('It failed with password=geheim', { error: new Error('boom secret=geheim'), batch: 7 });
    task.debug('not logged');
    logger.info('of no connector');
    const [line, ...others] = recent.of('c');
    expect(others).toEqual([]);
    expect(line).toMatchObject({ level: 'error', logger: 'millrace.tasks', task: 0, at: expect.any(Number) });
    expect(line?.text).toMatch(
      /^It failed with password=\[hidden\] \{"error":\{"message":"boom secret=\[hidden\]"\},"batch":7\}\nError: boom secret=\[hidden\]\n +at /,
    );
    expect(printed()).toContain('[millrace.tasks] It failed with password=[hidden] {"connector":"c","task":0,"error":');
    expect(JSON.stringify(line) + printed()).not.toContain('geheim');
  });

  test('can be about a connector that only their message names', () => {
    const { recent, logger, printed } = setup();
    logger.child({}, 'millrace.herder').info('Task c-1 is restarted', about({ connector: 'c', task: 1 }));
    logger.warn('Connector c has ended', about({ connector: 'c' }, { after: 5 }));
    expect(recent.of('c').map(({ task, text }) => [task, text])).toEqual([
      [1, 'Task c-1 is restarted'],
      [null, 'Connector c has ended {"after":5}'],
    ]);
    expect(printed().replace(/^\S+/gm, 'T')).toBe(
      'T INFO [millrace.herder] Task c-1 is restarted\nT WARN [worker] Connector c has ended {"after":5}\n',
    );
  });

  test('come from task threads, too', () => {
    const { recent, logger } = setup();
    const thread = new ThreadLogger((line) => writeLine(logger, structuredClone(line)));
    thread.child({ connector: 'c', task: 3 }, 'Task').warn('slow', { error: new Error('late') });
    expect(recent.of('c')).toEqual([
      expect.objectContaining({ task: 3, logger: 'Task', text: expect.stringMatching(/^slow .*\nError: late\n/) }),
    ]);
  });
});
