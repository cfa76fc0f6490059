import { LEVEL_NAMES, levelName } from '../../packages/texts/src/rest-names';
import { AUDIT, LogLevels } from '../../src/logging/log-levels';

const NOW = 1_795_175_432_329;
const shown = (levels: LogLevels): Record<string, string> =>
  Object.fromEntries(levels.list().map(([name, { level }]) => [name, level]));

test('connect-rest 143: a new worker lists the loggers it knows, sorted, never changed', () => {
  const levels = new LogLevels('WARN');
  levels.threshold('millrace.rest');
  levels.threshold('a');
  expect(levels.list()).toEqual([
    ['a', { level: 'WARN', lastModified: null }],
    ['millrace.rest', { level: 'WARN', lastModified: null }],
    ['root', { level: 'WARN', lastModified: null }],
  ]);
});

test('connect-rest 145, 146: a namespace and everything below it; an unchanged level keeps its time', () => {
  const levels = new LogLevels();
  for (const name of ['org.b', 'org.a.x', 'orgs', 'com']) levels.threshold(name);
  expect(levels.set('org', 'DEBUG', NOW)).toEqual(['org', 'org.a.x', 'org.b', 'orgs']);
  expect(levels.find('org.a.x')).toEqual({ level: 'DEBUG', lastModified: NOW });
  expect(levels.find('com')).toEqual({ level: 'INFO', lastModified: null });
  expect(levels.set('org', 'DEBUG', NOW + 1)).toEqual([]);
  expect(levels.find('org')).toEqual({ level: 'DEBUG', lastModified: NOW });
  expect(levels.set('org.a', 'DEBUG', NOW + 1)).toEqual([]);
});

test('root in any case is every logger, including itself; OFF is not listed', () => {
  const levels = new LogLevels();
  levels.threshold('a');
  expect(levels.set('ROOT', 'OFF')).toEqual(['a', 'root']);
  expect(levels.list()).toEqual([]);
  expect(levels.find('Root')?.level).toBe('OFF');
  expect(levels.find('A')).toBeNull();
});

test('a logger created later has the level of the last matching change', () => {
  const levels = new LogLevels();
  levels.set('org.a', 'TRACE');
  levels.set('org', 'WARN');
  levels.set('org.b', 'DEBUG');
  for (const name of ['org.a.x', 'org.b.x', 'com']) levels.threshold(name);
  expect(shown(levels)).toMatchObject({ 'org.a.x': 'WARN', 'org.b.x': 'DEBUG', com: 'INFO' });
  const copy = new LogLevels(levels.snapshot().initial, levels.snapshot().rules);
  expect(['org.a.y', 'org.b.y', 'com'].map((name) => copy.threshold(name).severity)).toEqual([3, 5, 4]);
});

test("Java's names reach the corresponding loggers, and are all that such a change returns", () => {
  const levels = new LogLevels();
  for (const name of ['millrace.herder', 'millrace.kafka', 'org.apache.kafka.connect.file.FileStreamSinkTask'])
    levels.threshold(name);
  expect(levels.set('org.apache.kafka.connect', 'DEBUG')).toEqual([
    'org.apache.kafka.connect',
    'org.apache.kafka.connect.file.FileStreamSinkTask',
  ]);
  expect(shown(levels)).toMatchObject({ 'millrace.herder': 'DEBUG', 'millrace.kafka': 'INFO' });
  expect(levels.threshold('millrace.rest').severity).toBe(5);
});

test("Java's classes have the level of the corresponding logger, until they have one of their own", () => {
  const levels = new LogLevels('WARN');
  const sinkTask = 'org.apache.kafka.connect.runtime.WorkerSinkTask';
  expect(levels.find(sinkTask)).toBeNull();
  const threshold = levels.threshold('millrace.tasks');
  expect(levels.find(sinkTask)).toEqual({ level: 'WARN', lastModified: null });
  levels.set('millrace', 'DEBUG', NOW);
  expect(levels.find(sinkTask)).toEqual({ level: 'DEBUG', lastModified: NOW });
  expect(levels.find('org.apache.kafka.connect.runtime.WorkerSink')).toBeNull();
  expect(levels.find('constructor')).toBeNull();
  // A level for the class applies to the logger.
  expect(levels.set(sinkTask, 'TRACE', NOW)).toEqual([sinkTask]);
  expect([levels.find(sinkTask)?.level, threshold.severity]).toEqual(['TRACE', 6]);
  expect(levels.list().map(([name]) => name)).toEqual(['millrace', 'millrace.tasks', sinkTask, 'root']);
});

test('thresholds are live, and subscribers are notified of changes until they unsubscribe', () => {
  const levels = new LogLevels();
  const threshold = levels.threshold('a');
  const told: unknown[] = [];
  const end = levels.onChange((...change) => told.push(change));
  levels.set('a', 'ERROR');
  expect(threshold.severity).toBe(2);
  end();
  levels.set('a', 'INFO');
  expect(told).toEqual([['a', 'ERROR']]);
});

test.each([
  ['debug', 'DEBUG'],
  [' Off ', 'OFF'],
  ['ALL', 'ALL'],
  ['fatal', 'FATAL'],
  ['', null],
  ['verbose', null],
  ['5', null],
])('level %j is %s', (text, level) => {
  expect(levelName(text)).toBe(level);
});

test('each logger that is listed can be set: the audit log is not among them', () => {
  const levels = new LogLevels();
  for (const name of [AUDIT, 'millrace.herder', 'org.a']) levels.threshold(name);
  const names = levels.list().map(([name]) => name);
  expect(names).toEqual(['millrace.herder', 'org.a', 'root']);
  for (const name of names) expect(levels.set(name, 'TRACE')).toContain(name);
  expect(levels.find(AUDIT)).toEqual({ level: 'INFO', lastModified: null });
});

test('the audit log has a level of its own, which a request cannot change', () => {
  const levels = new LogLevels('WARN');
  const threshold = levels.threshold(AUDIT);
  const info = LEVEL_NAMES.indexOf('INFO');
  for (const namespace of [AUDIT, 'millrace', 'root', 'org.apache.kafka.connect'])
    expect(levels.set(namespace, 'OFF')).not.toContain(AUDIT);
  expect([threshold.severity, levels.threshold(AUDIT).severity]).toEqual([info, info]);
  expect(levels.find(AUDIT)).toEqual({ level: 'INFO', lastModified: null });
  expect(new LogLevels('INFO', [[AUDIT, 'OFF']]).threshold(AUDIT).severity).toBe(0);
  expect(new LogLevels('INFO', [['millrace', 'OFF']]).threshold(AUDIT).severity).toBe(info);
});
