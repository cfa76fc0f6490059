/** The first sentence, code and hint of a trace. */
import { ConnectError, RetriableError } from '@millrace/sdk';
import { reasonOf } from '../../../src/rest/health/failure';
import { formatTrace } from '../../../src/tasks/trace';
import { toleranceExceeded } from '../../../src/tasks/errors/error-policy';

const noCure = (): null => null;

test('a trace of ours: the sentence without its class, the code, and the rest of the message as what to do', () => {
  const error = new ConnectError('The slot "s" was lost. Set snapshot.mode=when_needed, e.g. Debezium does so.', {
    code: 'PG_SLOT_LOST',
    place: { slot: 's', lsn: '0/1' },
    cause: new Error('inner. Outer'),
  });
  expect(reasonOf(formatTrace(error, null), noCure)).toEqual({
    code: 'PG_SLOT_LOST',
    sentence: 'The slot "s" was lost.',
    hint: 'Set snapshot.mode=when_needed, e.g. Debezium does so.',
    place: { slot: 's', lsn: '0/1' },
  });
});

test('without a second sentence, the hint is the one in docs/errors.md', () => {
  const trace = formatTrace(new RetriableError('No converter', { code: 'PLUGIN_NOT_FOUND' }), null);
  expect(reasonOf(trace)).toEqual({
    code: 'PLUGIN_NOT_FOUND',
    sentence: 'No converter',
    hint: 'Install it in `plugin.path` on every worker, or correct `connector.class`.',
    place: {},
  });
  expect(reasonOf(formatTrace(new ConnectError('Odd', { code: 'PLUGIN_OWN_CODE' }), null))).toEqual({
    code: 'PLUGIN_OWN_CODE',
    sentence: 'Odd',
    hint: null,
    place: {},
  });
});

test('a tolerated error that was not: the reason, and how to skip such records', () => {
  const failure = { stage: 'TRANSFORMATION', className: 'org.example.Mask', error: new Error('no field "a"') };
  const error = toleranceExceeded(failure as Parameters<typeof toleranceExceeded>[0], 'c');
  expect(reasonOf(formatTrace(error, null))).toEqual({
    code: 'TOLERANCE_EXCEEDED',
    sentence: 'Tolerance exceeded in error handler: TRANSFORMATION with org.example.Mask failed: no field "a".',
    hint: "Correct the record or the connector's settings, or skip such records with errors.tolerance=all, and log them with errors.log.enable=true.",
    place: {},
  });
});

test.each([
  [
    "a plugin's exception",
    formatTrace(new TypeError("Cannot read properties of undefined (reading 'x')"), null),
    "Cannot read properties of undefined (reading 'x')",
  ],
  [
    "Java's worker, whose first line has no reason",
    [
      'org.apache.kafka.connect.errors.ConnectException: Exiting WorkerSinkTask due to unrecoverable exception.',
      '\tat org.apache.kafka.connect.runtime.WorkerSinkTask.deliverMessages(WorkerSinkTask.java:635)',
      'Caused by: org.apache.kafka.connect.errors.DataException: JsonConverter with schemas.enable requires "schema". If',
      '\tat x.Y.z(Y.java:1)',
      'Caused by: java.lang.IllegalStateException: inner',
    ].join('\n'),
    'JsonConverter with schemas.enable requires "schema".',
  ],
  [
    "Java's converter",
    'org.apache.kafka.connect.errors.ConnectException: Tolerance exceeded in error handler\n\tat a.b(C.java:1)\nCaused by: org.apache.kafka.connect.errors.DataException: Converting byte[] failed due to serialization error: \n\tat x',
    'Converting byte[] failed due to serialization error:',
  ],
  ['a class alone', 'java.lang.NullPointerException\n\tat a.b(C.java:1)\n', 'java.lang.NullPointerException'],
  ['wrappers alone', 'a.B: Tolerance exceeded in error handler\n', 'Tolerance exceeded in error handler'],
  ['no trace', '', 'The worker does not say why.'],
  ['a class without a message', 'java.lang.RuntimeException: ', 'java.lang.RuntimeException:'],
])('%s', (_case, trace, sentence) => {
  expect(reasonOf(trace)).toEqual({ code: null, sentence, hint: null, place: {} });
});

test('abbreviations, versions and file names do not end a sentence', () => {
  const text = 'Kafka 3.9.1 at db.example.com rejected a file, e.g. Foo.csv. Then it ended.';
  expect(reasonOf(`a.B: ${text}`).sentence).toBe('Kafka 3.9.1 at db.example.com rejected a file, e.g. Foo.csv.');
});

test('credentials are hidden, and long or hostile traces are bounded', () => {
  expect(reasonOf('a.B: cannot connect to postgres://u:pw@db/x').sentence).not.toContain('pw@');
  for (const text of [
    'x'.repeat(10_000_000),
    'a.'.repeat(5_000_000),
    'Error: '.repeat(1_000_000),
    '. A'.repeat(3_000_000),
  ]) {
    const { sentence, hint } = reasonOf(text, noCure);
    expect(sentence.length + (hint?.length ?? 0)).toBeLessThan(4_200);
  }
  expect(reasonOf('a.B: <script>alert(1)</script>').sentence).toBe('<script>alert(1)</script>');
});
