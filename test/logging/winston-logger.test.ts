import { PassThrough } from 'node:stream';
import { LogLevels } from '../../src/logging/log-levels';
import { createLogger, loggerOptions, type LoggerOptions } from '../../src/logging/winston-logger';

function logged(options: LoggerOptions): { logger: ReturnType<typeof createLogger>; lines: () => string[] } {
  const stream = new PassThrough();
  const logger = createLogger({ ...options, stream });
  return {
    logger,
    lines: () => {
      // From Node.js 26 on each read returns the data of one write.
      const chunks: Buffer[] = [];
      for (let chunk; (chunk = stream.read() as Buffer | null) !== null;) chunks.push(chunk);
      return Buffer.concat(chunks).toString().split('\n').slice(0, -1);
    },
  };
}
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z /;

describe('text', () => {
  test('time, level, name, message, fields', () => {
    const { logger, lines } = logged({});
    logger.info('Worker started');
    logger.child({ connector: 'c' }, 'tasks').warn('Task failed', { task: 0, password: 'x' });
    logger.child({ a: 1 }).error('x');
    const [first, ...rest] = lines();
    expect(first).toMatch(TIME);
    expect([first, ...rest].map((line) => line?.replace(TIME, ''))).toEqual([
      'INFO [worker] Worker started',
      'WARN [tasks] Task failed {"connector":"c","task":0,"password":"[hidden]"}',
      'ERROR [worker] x {"a":1}',
    ]);
  });

  test('an error shows code, message and causes, then its stack', () => {
    const { logger, lines } = logged({});
    const error = Object.assign(new Error('outer', { cause: new Error('inner password=x') }), { code: 'C' });
    logger.error('Failed', { error });
    const [head, next] = lines();
    expect(head).toContain('{"error":{"code":"C","message":"outer","cause":{"message":"inner password=[hidden]"}}}');
    expect(next).toBe('    Error: outer');
  });

  test('on a terminal the level has a color, and nothing else', () => {
    const { logger, lines } = logged({ colors: true });
    logger.info('Worker started');
    logger.error('x', { a: 1 });
    expect(lines().map((line) => line.replace(TIME, ''))).toEqual([
      '\u001b[32mINFO\u001b[39m [worker] Worker started',
      '\u001b[31mERROR\u001b[39m [worker] x {"a":1}',
    ]);
  });

  test('disabled levels write nothing', () => {
    const { logger, lines } = logged({ levels: new LogLevels('WARN') });
    logger.info('no');
    logger.debug('no');
    logger.trace('no');
    logger.warn('yes');
    expect(lines()).toHaveLength(1);
  });
});

test('JSON: one document per line, never with colors', () => {
  const { logger, lines } = logged({ colors: true, format: 'json', levels: new LogLevels('TRACE'), name: 'w' });
  logger.trace('m', { n: 1, error: new Error('e') });
  const [line] = lines();
  expect(JSON.parse(line as string)).toEqual({
    time: expect.stringMatching(/Z$/),
    level: 'trace',
    name: 'w',
    message: 'm',
    n: 1,
    error: { message: 'e' },
    stack: expect.stringContaining('Error: e'),
  });
});

test('connect-rest 145: a change applies to existing loggers, and to those created later', () => {
  const levels = new LogLevels();
  const { logger, lines } = logged({ levels });
  const herder = logger.child({}, 'millrace.herder');
  herder.debug('no');
  levels.set('millrace.herder', 'DEBUG');
  herder.debug('yes');
  logger.child({}, 'millrace.herder.tick').debug('yes');
  logger.child({}, 'millrace.rest').debug('no');
  levels.set('millrace', 'OFF');
  herder.error('no');
  expect(lines()).toHaveLength(2);
});

test('options come from the environment', () => {
  const level = (env: Record<string, string>): unknown => loggerOptions(env).levels.find('root')?.level;
  expect([level({}), loggerOptions({}).format]).toEqual(['INFO', 'text']);
  const given = { MILLRACE_LOG_LEVEL: 'DEBUG', MILLRACE_LOG_FORMAT: 'JSON' };
  expect([level(given), loggerOptions(given).format]).toEqual(['DEBUG', 'json']);
  const odd = { MILLRACE_LOG_LEVEL: 'loud', MILLRACE_LOG_FORMAT: 'xml' };
  expect([level(odd), loggerOptions(odd).format]).toEqual(['INFO', 'text']);
});

test.each<[string, Record<string, string>, Record<string, string>]>([
  ['Debezium’s', { LOG_LEVEL: 'debug' }, { root: 'DEBUG' }],
  ['Redpanda’s', { CONNECT_LOG_LEVEL: 'warn', LOG_LEVEL: 'debug' }, { root: 'WARN' }],
  [
    'Confluent’s',
    { CONNECT_LOG4J_ROOT_LOGLEVEL: 'ERROR', CONNECT_LOG4J_LOGGERS: 'millrace.rest=TRACE, org.reflections=OFF' },
    { root: 'ERROR', 'millrace.rest': 'TRACE', 'millrace.herder': 'ERROR' },
  ],
  ['Debezium’s root logger', { CONNECT_LOG4J_LOGGERS: 'DEBUG, stdout' }, { root: 'DEBUG' }],
  [
    'one of Java’s loggers',
    { CONNECT_LOG4J_LOGGER_ORG_APACHE_KAFKA_CLIENTS: 'DEBUG' },
    { root: 'INFO', 'millrace.kafka': 'DEBUG' },
  ],
  ['Millrace’s own counts first', { MILLRACE_LOG_LEVEL: 'warn', LOG_LEVEL: 'debug' }, { root: 'WARN' }],
  ['not a level', { LOG_LEVEL: 'verbose', CONNECT_LOG4J_LOGGERS: 'a=loud' }, { root: 'INFO', a: 'INFO' }],
])('levels come from variables of Java’s images: %s', (_case, env, expected) => {
  const { levels } = loggerOptions(env);
  for (const [name, level] of Object.entries(expected)) {
    levels.threshold(name);
    expect([name, levels.find(name)?.level]).toEqual([name, level]);
  }
});
