import { PassThrough } from 'node:stream';
import type { JvmLine } from '@millrace/java-host';
import { addProvidedValue } from '@millrace/texts/redaction';
import { jvmLog } from '../../src/java/jvm-log';
import { LogLevels } from '../../src/logging/log-levels';
import { RecentLines } from '../../src/logging/recent-lines';
import { createLogger } from '../../src/logging/winston-logger';

function logged(levels = new LogLevels()) {
  const stream = new PassThrough();
  const recent = new RecentLines();
  const logger = createLogger({ stream, levels, recent, name: 'millrace.jvm' });
  const text = (): string => String(stream.read() ?? '').replace(/^\S+ /gm, '');
  return { log: jvmLog(logger, levels), text, recent, levels };
}
const line = (changes: Partial<JvmLine>): JvmLine => ({
  ...{ level: 'info', logger: 'io.debezium.A', message: 'm', connector: null, task: null, trace: null, folder: '/p' },
  quotes: [],
  ...changes,
});

test('a line has Java’s logger, its connector and task, and Java’s trace below it', () => {
  const { log, text, recent } = logged();
  const trace = 'java.io.IOException: gone\n\tat a.B.c(B.java:1)\nCaused by: x.Y: z';
  log.write(line({ level: 'error', message: 'failed', connector: 'c', task: 1, trace }));
  const written = text();
  expect(written).toContain('io.debezium.A');
  expect(written).toContain('failed');
  expect(written).toContain('at a.B.c(B.java:1)');
  expect(recent.of('c')).toMatchObject([{ logger: 'io.debezium.A', task: 1, level: 'error' }]);
  log.write(line({ message: 'alone' }));
  expect(text()).toContain('/p');
});

test('levels apply to Java’s loggers, which are listed once they exist', () => {
  const { log, text, levels } = logged();
  log.loggers(['io.debezium.A', 'org.b.C']);
  expect(levels.list().map(([name]) => name)).toEqual(['io.debezium.A', 'millrace.jvm', 'org.b.C', 'root']);
  levels.set('io.debezium', 'ERROR');
  log.write(line({ level: 'warn' }));
  expect(text()).toBe('');
  levels.set('io.debezium', 'DEBUG');
  log.write(line({ level: 'debug', message: 'detail' }));
  expect(text()).toContain('detail');
});

test('a JVM gets the levels of all loggers but the worker’s own, and each change', () => {
  const levels = new LogLevels('WARN', [
    ['io.debezium', 'DEBUG'],
    ['millrace.rest', 'TRACE'],
  ]);
  const { log } = logged(levels);
  expect(log.levels()).toEqual([
    ['root', 'WARN'],
    ['io.debezium', 'DEBUG'],
  ]);
  const changes: unknown[] = [];
  const forget = log.onLevel((...change) => changes.push(change));
  levels.set('org.a', 'OFF');
  forget();
  levels.set('org.a', 'INFO');
  expect(changes).toEqual([['org.a', 'OFF']]);
});

test('a plugin’s names cannot be those of the worker, nor fill its memory', () => {
  const { log, text, levels } = logged();
  for (const name of ['millrace.audit', 'root', 'ROOT', 'a b', '', '"x', 'x'.repeat(300)]) {
    log.write(line({ logger: name, message: 'spoof' }));
    expect(text()).toContain('millrace.jvm');
  }
  log.loggers(Array.from({ length: 20_000 }, (_, i) => `org.a.L${i}`));
  expect(levels.list().length).toBeLessThan(5_010);
});

test('values of config providers are hidden in lines of any thread of the JVM, and in its last lines', () => {
  const { log, text } = logged();
  addProvidedValue('hunter-2-of-one', '${file:a:b}', 'one');
  log.write(line({ connector: 'one', message: 'own hunter-2-of-one' }));
  log.write(line({ message: 'shared hunter-2-of-one', trace: 'a.B: hunter-2-of-one', quotes: ['two', 'one'] }));
  const written = text();
  expect(written).toContain('own ${file:a:b}');
  expect(written).toContain('shared ${file:a:b}');
  expect(written).not.toContain('hunter-2');
  expect(log.hide('last hunter-2-of-one', ['one'])).toBe('last ${file:a:b}');
});
