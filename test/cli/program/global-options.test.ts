/** Shared options before the command. */
import { commandIndex } from '../../../packages/cli/src/program/shared-options';
import { runCli } from '../../../src/cli/cli';
import { FakeIo, invocationOf } from '../fake-io';
import { cli, entry, serve } from '../scripted-rest';

const options = (...args: string[]): unknown => invocationOf(args, new FakeIo('/')).options;

test('they count like options after it', async () => {
  const url = await serve(() => Object.fromEntries([entry('orders', 'RUNNING', 'RUNNING')]));
  const { code, out } = await cli('http://127.0.0.1:1', '--url', url, '-o', 'json', 'get', 'connectors');
  expect([code, JSON.parse(out)]).toMatchObject([0, [{ name: 'orders' }]]);
  const after = options('get', 'connectors', '-o', 'json', '--request-timeout', '5');
  expect(options('-o', 'json', '--request-timeout', '5', 'get', 'connectors')).toEqual(after);
  expect(options('-ojson', '--request-timeout=5', 'get', 'connectors')).toEqual(after);
  expect(options('--yes', '--context', 'dev', 'pause', 'x')).toMatchObject({ yes: true, context: 'dev' });
  expect(options('--config', 'a.properties', 'consume', 't')).toMatchObject({ config: 'a.properties' });
});

test('an option after the command takes precedence; without one, defaults are those of the command', () => {
  expect(options('-o', 'json', 'status', '-o', 'yaml')).toMatchObject({ output: 'yaml' });
  expect(options('--url', 'http://a', 'status')).toMatchObject({ output: 'table', requestTimeout: 90 });
});

test.each([
  [['--url', 'http://a', 'completion', 'bash'], `error: "millrace completion" has no option '--url'`],
  [['-o', 'xml', 'status'], "error: option '-o, --output <format>' argument 'xml' is invalid."],
  [['--request-timeout', 'x', 'status'], 'It must be a number from 1 to 3600.'],
  [['--all', 'status'], "error: unknown option '--all'"],
  [['--url'], "error: option '--url <url>' argument missing"],
])('%j is a wrong command line', async (args, reason) => {
  const io = new FakeIo('/');
  expect(await runCli(args, io)).toBe(2);
  expect(io.err).toContain(reason);
});

test('help and version after them', async () => {
  const help = async (...args: string[]): Promise<string> => {
    const io = new FakeIo('/');
    expect(await runCli(args, io)).toBe(0);
    return io.out;
  };
  const status = await help('status', '--help');
  expect(await help('--url', 'x', 'status', '--help')).toBe(status);
  expect(await help('--url', 'x', 'help', 'status')).toBe(status);
  expect(await help('-o', 'json', '--version')).toMatch(/^millrace \d/);
  const list = await help('--help');
  expect(list).toContain('may also stand before the command:\n--context, --url, --request-timeout, --output, ');
  expect(await help('--context', 'x', '--help')).toBe(list);
});

test.each([
  [[], 0],
  [['status'], 0],
  [['--url', 'status', 'top'], 2],
  [['--url=status', 'top'], 1],
  [['-y', 'pause'], 1],
  [['-o'], 1],
  [['--all', 'status'], 0],
  [['--', 'status'], 0],
])('the command of %j is at %d', (args, expected) => {
  expect(commandIndex(args)).toBe(expected);
});

test('they are completed, and their values count', async () => {
  const url = await serve((request) => (request === 'GET /connectors' ? ['orders'] : undefined));
  const words = async (...given: string[]): Promise<string[]> =>
    (await cli('http://127.0.0.1:1', '__complete', 'words', ...given)).out
      .split('\n')
      .map((line) => line.split('\t')[0]!);
  expect(await words('--u')).toEqual(['--url', '']);
  expect(await words('-o', '')).toEqual(['table', 'json', 'yaml', '']);
  expect(await words('--url', url, 'sta')).toEqual(['start', 'status', '']);
  expect(await words('--url', url, 'status', 'o')).toEqual(['orders', '']);
  expect(await words(`--url=${url}`, 'describe', 'connector', 'o')).toEqual(['orders', '']);
});
