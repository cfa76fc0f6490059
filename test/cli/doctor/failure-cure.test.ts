/** What `millrace doctor` advises for a failure, from the rows of docs/errors.md. */
import { failureCure } from '../../../src/cli/verbs/doctor/failure-cure';
import { readErrorPage } from '../../../src/logging/error-page';

const RESTART = 'curl -X POST restart';
const cure = (code: string, name = 'orders'): ReturnType<typeof failureCure> =>
  failureCure(`org.apache.kafka.connect.errors.ConnectException: x [code: ${code}]\n\tat y`, name, RESTART);

test('a position that is lost is not cured by a restart, and the reset is named as it runs', () => {
  const { cure: text, statements } = cure('PG_POSITION_LOST', "o'brien 1");
  expect(text).toMatch(/^A restart does not help/);
  expect(statements).toEqual([`millrace offsets reset 'o'\\''brien 1' --resume`]);
  expect(text).toContain(statements?.[0]);
});

test('an operator chooses between several commands, and fills in what is open', () => {
  const { cure: text, statements } = cure('TOLERANCE_EXCEEDED');
  expect(statements).toBeUndefined();
  for (const part of [
    'millrace restart orders --failed',
    'millrace offsets import orders FILE --resume',
    'errors.deadletterqueue.topic.name',
    'errors.tolerance=all',
  ])
    expect(text).toContain(part);
  expect(cure('NO_OFFSET_FOR_PARTITION').statements).toBeUndefined();
});

test('other failures are restarted when the cause is corrected', () => {
  expect(cure('FILE_SINK_OPEN')).toEqual({
    cure: 'Check the path and its permissions. Then restart what failed.',
    statements: [RESTART],
  });
  const general = { cure: 'Correct the cause, then restart what failed.', statements: [RESTART] };
  expect(failureCure('Error: no code', 'orders', RESTART)).toEqual(general);
  expect(failureCure('', 'orders', RESTART)).toEqual(general);
});

test('every command of the page about a connector has its name as NAME', () => {
  const commands = readErrorPage().flatMap((entry) =>
    [...entry.cure.matchAll(/`(millrace [^`]+)`/g)].map(([, a]) => a),
  );
  const about = commands.filter((command) =>
    /^millrace (?:offsets \w+|restart|stop|resume|patch) \S/.test(command as string),
  );
  expect(about.length).toBeGreaterThan(10);
  expect(about.filter((command) => !/\bNAME\b/.test(command as string))).toEqual([]);
});
