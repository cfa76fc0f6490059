import {
  automatically,
  byUser,
  causeHeaders,
  readCause,
  readRestart,
  restartHeaders,
  UNKNOWN_CAUSE,
} from '../../../src/storage/log/cause';

const header = (key: string, value: string): { key: string; value: Buffer } => ({ key, value: Buffer.from(value) });

describe('causes in record headers', () => {
  test('are read as they were written', () => {
    for (const cause of [
      byUser('jane'),
      byUser(null),
      automatically('attempt 2 of 10'),
      { ...byUser('x'), creates: true },
    ])
      expect(readCause(causeHeaders(cause))).toEqual(cause);
    const restart = { at: 1_700_000_000_000, cause: byUser('jane') };
    expect(readRestart(restartHeaders(restart))).toEqual(restart);
  });

  test('have a fixed text, which other versions read', () => {
    expect(
      causeHeaders(byUser('jane')).map(({ key, value }) => `${key}=${Buffer.from(value ?? []).toString()}`),
    ).toEqual(['millrace.cause={"by":"user","user":"jane"}']);
  });

  test('are at most 1 KB long, whatever the name of the user', () => {
    for (const user of ['x'.repeat(5_000), '\u0000'.repeat(5_000), '😀'.repeat(5_000)]) {
      const cause = byUser(user, '漢'.repeat(5_000));
      expect(causeHeaders(cause)[0]?.value?.length).toBeLessThanOrEqual(1024);
      expect(readCause(causeHeaders(cause)).by).toBe('user');
    }
  });

  test.each([
    ['none', []],
    ['another', [header('other', '{"by":"user"}')]],
    ['not JSON', [header('millrace.cause', '{'), header('millrace.restart', '{')]],
    ['not an object', [header('millrace.cause', 'null'), header('millrace.restart', '7')]],
    ['a null', [{ key: 'millrace.cause', value: null }]],
    ['too long', [header('millrace.cause', `{"by":"user","user":"${'x'.repeat(2_000)}"}`)]],
    [
      'wrong types',
      [header('millrace.cause', '{"by":1,"user":2,"detail":[]}'), header('millrace.restart', '{"at":"1"}')],
    ],
  ])('a record with %s has an unknown cause', (_, headers) => {
    expect(readCause(headers)).toEqual(UNKNOWN_CAUSE);
    expect(readRestart(headers)).toBeNull();
  });
});
