/** Whose texts show placeholders instead of values of config providers, in every place that shows texts. */
import { PassThrough } from 'node:stream';
import { resolvePlaceholders } from '../../src/config/providers/placeholders';
import { HerderError } from '../../src/cluster/errors';
import { clientsOf, measuredClients, workerClients } from '../../src/kafka-clients';
import type { KafkaClients } from '../../packages/kafka-client/src/port';
import { about } from '../../src/logging/line-subject';
import { silentLogger, type Logger } from '../../src/logging/logger';
import {
  addProvidedValue,
  hideProvidedValues,
  providedValuesSince,
  providedValuesVersion,
} from '../../packages/texts/src/provided-values';
import { RecentLines } from '../../src/logging/recent-lines';
import { createLogger } from '../../src/logging/winston-logger';
import { HiddenSecrets } from '../../src/rest/auth/hidden-secrets';
import { errorReply } from '../../src/rest/requests/error-reply';
import { contextHeaders } from '../../src/tasks/errors/dead-letter-topic';
import { toleranceExceeded } from '../../src/tasks/errors/error-policy';
import type { FailedRecord } from '../../src/tasks/errors/failed-record';
import { formatTrace } from '../../src/tasks/trace';
import { ThreadLogger, writeLine, type LogLine } from '../../src/threads/thread-logger';

const USER = '${file:/s:user}';
const PASSWORD = '${file:/s:password}';
const WORKER = '${file:/s:worker}';
const SAID = 'kafka said: S3cret-of-orders and s3cret-of-the-worker for kafka';
const HIDDEN = `${USER} said: ${PASSWORD} and ${WORKER} for ${USER}`;
const NOT_OWN = `kafka said: S3cret-of-orders and ${WORKER} for kafka`;

beforeAll(async () => {
  const of = (values: Record<string, string>): ReadonlyMap<string, { get(): Promise<Map<string, string>> }> =>
    new Map([['file', { get: async () => await Promise.resolve(new Map(Object.entries(values))) }]]);
  const own = { user: 'kafka', password: 's3cret-of-orders' };
  await resolvePlaceholders({ user: USER, password: PASSWORD }, of(own), { owner: 'orders' });
  await resolvePlaceholders({ key: WORKER }, of({ worker: 's3cret-of-the-worker' }), { owner: null });
});

const failed = (error: Error): FailedRecord => ({
  stage: 'TASK_PUT',
  className: 'a.B',
  error,
  consumed: undefined as never,
});

function printed(log: (logger: Logger) => void): string {
  const stream = new PassThrough();
  log(createLogger({ stream }));
  return String(stream.read());
}

function recent(connector: string): string {
  const lines = new RecentLines();
  createLogger({ stream: new PassThrough(), recent: lines }).error(
    'x',
    about({ connector }, { error: new Error(SAID) }),
  );
  return JSON.stringify(lines.of(connector));
}

function labelOf(connector: string): string {
  const label: string[] = [];
  const meter = { producer: (id: string) => void label.push(id) };
  const clients = measuredClients({ producer: () => ({}) } as unknown as KafkaClients, meter as never, null);
  clientsOf(clients, connector).producer({ 'client.id': SAID });
  return String(label);
}

function lineOfThread(connector: string): string {
  let sent: LogLine | undefined;
  new ThreadLogger((line) => (sent = line)).child({ connector, task: 0 }).warn(SAID);
  return printed((logger) => writeLine(logger, structuredClone(sent) as LogLine));
}

/** A text of the plugins or servers of a connector, in each place that shows such texts. */
const PLACES: Readonly<Record<string, (connector: string) => string | Promise<string>>> = {
  'the trace of a status': (connector) => formatTrace(new Error(SAID, { cause: new TypeError(SAID) }), connector),
  'the reason of a tolerated error': (connector) => toleranceExceeded(failed(new Error(SAID)), connector).message,
  'the headers of a dead letter': (connector) =>
    contextHeaders(failed(new Error(SAID)), { connector, task: 0 })
      .filter(({ key }) => key.includes('exception'))
      .map(({ value }) => String(value))
      .join('\n'),
  'a log line': (connector) => printed((logger) => logger.child({ connector }).info(SAID, { error: new Error(SAID) })),
  'a log line about it': (connector) => printed((logger) => logger.info(SAID, about({ connector }))),
  'a log line of a thread': lineOfThread,
  'the lines that the console shows': recent,
  'the client id in a metric': labelOf,
  'the 500 of a request': (connector) => {
    const { body } = errorReply(new HerderError(500, SAID), silentLogger, connector);
    return JSON.stringify(body);
  },
  'the log line of that 500': (connector) =>
    printed((logger) => void errorReply(new Error('x', { cause: new Error(SAID) }), logger, connector)),
  'a trace that the console and readers see': async (connector) => {
    const secrets = new HiddenSecrets(
      true,
      { definitions: () => Promise.reject(new Error('no plugin')) },
      { list: () => [] },
    );
    return (await secrets.inTextsFromAll({ name: connector }))(SAID);
  },
};

test.each(Object.entries(PLACES))(
  '%s shows placeholders for the connector’s own values and the worker’s',
  async (_, of) => {
    const shown = await of('orders');
    expect(shown).not.toMatch(/kafka said|for kafka|s3cret/i);
    expect(shown).toContain(HIDDEN);
  },
);

test.each(Object.entries(PLACES))('%s of another connector shows its text as it is', async (_, of) => {
  const shown = await of('kafka');
  expect(shown).toContain(NOT_OWN);
  expect(shown).not.toMatch(/\$\{file:\/s:(?:user|password)\}/);
});

test('a Kafka client of a connector hides what its settings contain in the lines that it logs', async () => {
  let log!: (line: LogLine) => void;
  const logged = new Promise<LogLine>((resolve) => (log = resolve));
  const clients = clientsOf(workerClients(new ThreadLogger((line) => log(line))), 'orders');
  // Nothing listens there.
  const admin = clients.admin({ 'bootstrap.servers': '127.0.0.1:1', 'client.id': 'S3cret-of-orders' });
  const failure = admin.describeTopics(['t']).catch(() => undefined);
  expect((await logged).line.message).toContain(`(client '${PASSWORD}')`);
  await admin.close();
  await failure;
});

test('a thread that several connectors share hides the values of each in an error of an unknown one', () => {
  expect(formatTrace(new Error(SAID), ['other', 'orders'])).toContain(HIDDEN);
});

test('a thread gets the values of the owners that have new ones', () => {
  const before = providedValuesVersion();
  addProvidedValue('later-value', '${file:/s:later}', 'invoices');
  expect(providedValuesSince(before)).toEqual([['invoices', [['later-value', '${file:/s:later}']]]]);
  addProvidedValue('later-value', '${file:/s:later}', 'invoices');
  expect(providedValuesSince(providedValuesVersion())).toEqual([]);
});

test('the values of the connectors that were resolved least recently are dropped', () => {
  for (let i = 0; i < 10_001; i++) {
    addProvidedValue(`value-of-${i}`, '${p}', `connector-${i}`);
    addProvidedValue('value-of-0', '${p}', 'connector-0');
  }
  const shown = [0, 1, 10_000].map((i) => hideProvidedValues(`value-of-${i}`, `connector-${i}`));
  expect(shown).toEqual(['${p}', 'value-of-1', '${p}']);
});
