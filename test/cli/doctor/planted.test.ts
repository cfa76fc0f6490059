/** Findings of `millrace doctor` are planted in tests with services, and have a row in docs/errors.md. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseErrorPage } from '../../../src/logging/error-page';

const ROOT = join(__dirname, '..', '..', '..');
const SOURCES = ['src/cli/verbs/doctor', 'connectors/postgres/src/diagnosis'];
const TESTS = ['test/integration/cli', 'test/integration/postgres', 'test/integration/java'];
/** Why a test with a scripted fact is all there is. */
const SCRIPTED: Readonly<Record<string, string>> = {
  DOCTOR_SETTINGS: 'takes 10 s; with a shorter --deadline the pipe is planted as DOCTOR_DEADLINE',
  KAFKA_NO_CONTROLLER: 'a cluster that lasts without a controller',
  KAFKA_REQUEST: 'a broker that lacks a request',
  PG_SESSION_SETTINGS: 'a pooler that gives each query another session',
};
/** Codes of failures, from which findings are built. */
const FAILURES = new Set([
  'CONNECTION_FAILED',
  'ILLEGAL_SASL_STATE',
  'REQUEST_TIMED_OUT_CLIENT',
  'SASL_AUTHENTICATION_FAILED',
  'SCRAM_ITERATIONS',
  'SSL_HANDSHAKE_FAILED',
  'UNSUPPORTED_SASL_MECHANISM',
  'UNSUPPORTED_VERSION_CLIENT',
]);

const texts = (folders: readonly string[], pattern: RegExp): string =>
  folders
    .flatMap((folder) => readdirSync(join(ROOT, folder)).map((name) => join(ROOT, folder, name)))
    .filter((file) => pattern.test(file))
    .map((file) => readFileSync(file, 'utf8'))
    .join('\n');

/** Quoted, or a key of an object. */
const emitted = [
  ...new Set(
    [...texts(SOURCES, /\.ts$/).matchAll(/'([A-Z]+(?:_[A-Z]+)+)'|^ +(PG_[A-Z_]+):/gm)].map(([, a, b]) => a ?? b),
  ),
].filter((code): code is string => code !== undefined && !FAILURES.has(code));
const planted = texts(TESTS, /(?:doctor|diagnosis).*\.test\.ts$/);
const isPlanted = (code: string): boolean => new RegExp(`'(?:(?:error|warning|unchecked) )?${code}'`).test(planted);

test('the codes are found in the sources', () => {
  expect(emitted).toEqual(expect.arrayContaining(['PG_WAL_LEVEL', 'PG_UNKNOWN_HOST', 'CLOCK_SKEW', 'DOCTOR_DEADLINE']));
  expect(emitted.length).toBeGreaterThan(50);
});

test.each(emitted.map((code) => [code] as const))(
  '%s is planted, unless it is known to be scripted, and has a row',
  (code) => {
    expect(isPlanted(code)).toBe(SCRIPTED[code] === undefined);
    const page = readFileSync(join(ROOT, 'docs', 'errors.md'), 'utf8');
    expect(parseErrorPage(page).some((row) => JSON.stringify(row).includes(code))).toBe(true);
  },
);
