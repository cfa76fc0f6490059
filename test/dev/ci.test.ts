/** How CI handles failed tests, shown with Jest on a project of a few tiny files. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runTests, type TestReport } from '../../dev/ci/run-tests';

const JEST = join(__dirname, '..', '..', 'node_modules', 'jest', 'bin', 'jest.js');
const folders: string[] = [];
afterAll(() => folders.forEach((folder) => rmSync(folder, { recursive: true, force: true })));
/** CI prints to its own output, which is not this test's. */
beforeEach(() => void jest.spyOn(console, 'log').mockImplementation(() => undefined));

/** Fails on its first run. */
const FIRST_TIME = `
  const { existsSync, writeFileSync } = require('node:fs');
  const marker = __filename + '.seen';
  const seen = existsSync(marker);
  writeFileSync(marker, '');
`;

function project(files: Record<string, string>): string {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-ci-test-'));
  folders.push(folder);
  const config = { 'jest.config.json': JSON.stringify({ rootDir: folder, testMatch: ['**/*.test.js'] }) };
  for (const [name, text] of Object.entries({ ...config, ...files })) writeFileSync(join(folder, name), text);
  return folder;
}

function ci(files: Record<string, string>): TestReport {
  const folder = project(files);
  const command = [process.execPath, JEST, '--config', 'jest.config.json', '--silent', '--reporters', './none.js'];
  writeFileSync(join(folder, 'none.js'), 'module.exports = class {};');
  return runTests([{ title: 'tiny', command, again: [...command, '--runTestsByPath'] }], folder);
}

test('a file that fails once and passes alone is shown as FLAKY with its first output, and counts as passed', () => {
  const report = ci({
    'steady.test.js': `test('steady', () => {})`,
    'moody.test.js': `${FIRST_TIME}; test('calm', () => {}); test('moody', () => expect('seen ' + seen).toBe('seen true'))`,
  });
  expect(report).toMatchObject({ passed: 3, failed: 0 });
  const flake = report.lines.findIndex((line) => line === 'FLAKY: moody.test.js: moody');
  expect(report.lines[flake + 1]).toContain('seen false');
  expect(report.lines.filter((line) => line.startsWith('FLAKY'))).toHaveLength(1);
});

test('a file that fails twice fails the run, by name', () => {
  const report = ci({ 'broken.test.js': `test('fine', () => {}); test('broken', () => expect(1).toBe(2))` });
  expect(report).toMatchObject({ passed: 1, failed: 1 });
  expect(report.lines).toContain('FAILED: broken.test.js');
});

test('a file that does not load at first is reported as a whole', () => {
  const report = ci({
    'loads.test.js': `${FIRST_TIME}; if (!seen) throw new Error('not yet'); test('loads', () => {})`,
  });
  expect(report).toMatchObject({ passed: 1, failed: 0 });
  const flake = report.lines.findIndex((line) => line === 'FLAKY: loads.test.js: (the file)');
  expect(report.lines[flake + 1]).toContain('not yet');
});

test('a run whose services fail to start is repeated once; one that fails twice is a failure', () => {
  const setup = (condition: string) => ({
    'jest.config.json': JSON.stringify({ testMatch: ['**/*.test.js'], globalSetup: './setup.js' }),
    'setup.js': `${FIRST_TIME}; module.exports = () => { if (${condition}) throw new Error('no broker') }`,
    'a.test.js': `test('a', () => {})`,
  });
  const once = ci(setup('!seen'));
  expect(once).toMatchObject({ passed: 1, failed: 0 });
  expect(once.lines).toContain('FLAKY: tiny: the first attempt exited before its tests');
  expect(ci(setup('true'))).toMatchObject({ passed: 0, failed: 1 });
});

test('at most ten files are rerun: more failures are not a flake', () => {
  const names = Array.from({ length: 11 }, (_, i) => `moody-${i}.test.js`);
  const files = names.map((name) => [name, `${FIRST_TIME}; test('moody', () => expect(seen).toBe(true))`]);
  expect(ci(Object.fromEntries(files))).toMatchObject({ passed: 0, failed: 11 });
});

test('the duration of a run, its slowest files and skipped tests are reported', () => {
  const { lines } = ci({ 'a.test.js': `test('a', () => {}); test.skip('b', () => {})` });
  expect(lines).toEqual([
    'WARNING: 1 skipped:',
    '     b',
    expect.stringMatching(/^TIME: tiny: \d+ s; its slowest files:$/),
    expect.stringMatching(/^ +\d+\.\d s {2}a\.test\.js$/),
  ]);
});
