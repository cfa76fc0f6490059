import { execFile, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { runCli } from '../../../src/cli/cli';
import { bashReply, parseBashLine } from '../../../packages/cli/src/completion/complete';
import { SCRIPTS } from '../../../packages/cli/src/verbs/completion';
import { waitFor } from '../../helpers/wait-for';
import { FakeIo } from '../fake-io';
import { hasTerminals, Terminal } from '../../helpers/terminal';
import { cli, serve } from '../scripted-rest';

const NAMES = ['orders-eu', 'orders:us', "it's $HOME", 'plain', 'bad\nname'];
const script = (request: string): unknown => {
  if (request === 'GET /connectors') return NAMES;
  if (request === 'GET /admin/loggers') return { root: {}, 'org.x': {} };
  return [{ class: 'o.a.FileSinkConnector', type: 'sink', version: '1' }];
};

async function words(url: string, ...given: string[]): Promise<string[]> {
  const { code, out, err } = await cli(url, '__complete', 'words', ...given);
  expect([code, err]).toEqual([0, '']);
  return out
    .split('\n')
    .flatMap((line) => (line === '' ? [] : [line.startsWith('\t') ? line : (line.split('\t')[0] as string)]));
}

test('commands, subcommands, options and choices', async () => {
  const url = 'http://127.0.0.1:1';
  expect(await words(url, 'des')).toEqual(['describe']);
  expect(await words(url, '')).toEqual(expect.arrayContaining(['get', 'start', 'completion']));
  expect(await words(url, '')).not.toContain('__complete');
  expect(await words(url, 'describe', '')).toEqual(['connector', 'plugin']);
  expect(await words(url, 'help', 'describe', 'p')).toEqual(['plugin']);
  expect(await words(url, 'get', 'plugins', '--t')).toEqual(['--type']);
  expect(await words(url, 'get', 'plugins', '--type', 'si')).toEqual(['sink']);
  expect(await words(url, 'get', 'connectors', '-o', '')).toEqual(['table', 'json', 'yaml']);
  expect(await words(url, 'get', 'connectors', '--output=y')).toEqual(['--output=yaml']);
  expect(await words(url, 'completion', '')).toEqual(['bash', 'zsh', 'fish']);
  expect(await words(url, 'apply', '-f', '')).toEqual(['\t:files']);
  expect(await words(url, 'frobnicate', '')).toEqual([]);
  expect(await words(url, 'constructor', '')).toEqual([]);
  expect((await cli(url, '__complete', 'words', 'describe', 'p')).out).toBe(
    'plugin\tshow the settings of a plugin with their documentation\n',
  );
  expect(await cli(url, '__complete')).toMatchObject({ code: 0, err: '' });
});

test('names of the worker', async () => {
  const url = await serve(script);
  expect(await words(url, 'describe', 'connector', 'o')).toEqual(['orders-eu', 'orders:us']);
  expect(await words('http://127.0.0.1:1', 'status', '--url', url, 'p')).toEqual(['plain']);
  expect(await words(url, 'status', 'plain', '')).toEqual(["it's $HOME", 'orders-eu', 'orders:us']);
  expect(await words(url, 'get', 'loggers', '')).toEqual(['org.x', 'root']);
  expect(await words(url, 'describe', 'plugin', '')).toEqual(['FileSink', 'o.a.FileSinkConnector']);
});

test('names of contexts', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-completion-'));
  const file = join(folder, 'contexts.yaml');
  writeFileSync(file, 'contexts: {prod: {url: "http://p"}, test: {url: "http://t"}}');
  const io = new FakeIo('/', { MILLRACE_CONTEXTS: file });
  expect(await runCli(['__complete', 'words', 'context', 'use', ''], io)).toBe(0);
  expect(io.out).toBe('prod\ntest\n');
  rmSync(folder, { recursive: true });
});

test('a worker that is away, answers nonsense, refuses or never answers: nothing, and no error', async () => {
  const silent = await serve((_, response) => response.writeHead(200).flushHeaders());
  for (const url of ['http://127.0.0.1:1', await serve(() => '<html>'), await serve(() => undefined), silent, ':/'])
    expect(await words(url, 'status', '')).toEqual([]);
});

test('lines as bash hands them over', () => {
  const parse = (line: string) => parseBashLine(line, ' "\'@><=;|&(:');
  expect(parse('millrace status a\\ b "c d')).toEqual({
    words: ['millrace', 'status', 'a b'],
    current: 'c d',
    kept: 0,
    quote: '"',
  });
  expect(parse('millrace get ')).toMatchObject({ words: ['millrace', 'get'], current: '' });
  expect(parse("m 'a:b")).toMatchObject({ current: 'a:b', kept: 0, quote: "'" });
  expect(parse('m a:b')).toMatchObject({ current: 'a:b', kept: 2 });
  expect(parse('m ""')).toMatchObject({ current: '', quote: '' });
  expect(bashReply('a:b c', { kept: 2, quote: '' })).toBe('b\\ c');
  expect(bashReply('a"$b', { kept: 0, quote: '"' })).toBe('a\\"\\$b');
  expect(bashReply("it's", { kept: 0, quote: "'" })).toBe("it'\\''s");
});

test('the script in bash', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-completion-'));
  const file = join(folder, 'completion.sh');
  writeFileSync(file, SCRIPTS.bash);
  // Stands for the installed command: the answers to the lines are computed here.
  const replies = async (line: string): Promise<string> => {
    const io = new FakeIo('/', { MILLRACE_CONTEXTS: '/nowhere', MILLRACE_URL: url });
    await runCli(['__complete', 'bash', line, ' \t\n"\'><=;|&(:'], io);
    return io.out;
  };
  const url = await serve(script);
  const completed = async (line: string): Promise<string> => {
    writeFileSync(join(folder, 'replies'), await replies(line));
    const code = `millrace() { [ "$1 $2 $3" = "__complete bash $COMP_LINE" ] && cat "$REPLIES"; }; source "$FILE"; COMP_POINT=\${#COMP_LINE}; _millrace; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const { stdout, stderr } = await promisify(execFile)('bash', ['--norc', '-u', '-c', code], {
      env: { PATH: process.env.PATH, FILE: file, REPLIES: join(folder, 'replies'), COMP_LINE: line },
    });
    expect(stderr).toBe('');
    return stdout;
  };
  expect(await completed('millrace describe p')).toBe('plugin\n');
  expect(await completed('millrace status orders')).toBe('orders-eu\norders:us\n');
  expect(await completed('millrace status orders:')).toBe('us\n');
  expect(await completed('millrace status it')).toBe("it\\'s\\ \\$HOME\n");
  expect(await completed('millrace status "it')).toBe("it's \\$HOME\n");
  expect(await completed('millrace get connectors --output=')).toBe('table\njson\nyaml\n');
  expect(await completed('millrace apply -f ')).toBe('\n');
  expect(await completed('millrace status nothing')).toBe('\n');
  rmSync(folder, { recursive: true });
});

/** Hard for a shell; the last one is not the mark for names of files. */
const ODD = ['back\\slash:x y', "quo'te", '$HOME*', ':files'];
const isInstalled = (shell: string): boolean => !spawnSync(shell, ['--version']).error;

/** A folder with a command `millrace` that prints the answer to one line, and with the shell's script. */
async function shellFolder(shell: 'zsh' | 'fish', ...line: string[]): Promise<string> {
  const url = await serve((request) => (request === 'GET /connectors' ? ODD : {}));
  const folder = mkdtempSync(join(tmpdir(), 'millrace-completion-'));
  const { out } = await cli(url, '__complete', 'words', ...line);
  writeFileSync(join(folder, 'answer'), out);
  writeFileSync(join(folder, 'completion'), SCRIPTS[shell]);
  writeFileSync(
    join(folder, 'millrace'),
    `#!/bin/sh\n[ "$*" = "__complete words ${line.join(' ')}" ] && cat "${folder}/answer"\n`,
  );
  chmodSync(join(folder, 'millrace'), 0o755);
  return folder;
}

test.each([
  ['back', ODD[0]],
  ['quo', ODD[1]],
  [':', ODD[3]],
])('zsh, where that is installed: Tab after %s completes the word to %s', async (typed, expected) => {
  if (!isInstalled('zsh') || !hasTerminals) return;
  const folder = await shellFolder('zsh', 'status', typed);
  const found = join(folder, 'found');
  const setup = `PATH=${folder}:$PATH; autoload -Uz compinit; compinit -u -D; source ${folder}/completion; found() { print -r -- "\${(Q)\${(z)BUFFER}[-1]}" >${found}.new; mv ${found}.new ${found} }; zle -N found; bindkey '^X' found; bindkey '^I' complete-word; print REA''DY`;
  const terminal = new Terminal('zsh -f -i');
  try {
    terminal.type(`${setup}\n`);
    await terminal.shows('READY');
    terminal.type(`millrace status ${typed}\t\x18`);
    await waitFor('the completed line', () => existsSync(found), { detail: () => terminal.shown });
    expect(readFileSync(found, 'utf8')).toBe(`${expected}\n`);
  } finally {
    terminal.kill();
    rmSync(folder, { recursive: true });
  }
});

test('fish, where that is installed: odd names, and names of files', async () => {
  if (!isInstalled('fish')) return;
  const complete = async (...line: string[]): Promise<string[]> => {
    const folder = await shellFolder('fish', ...line);
    const command = `source ${folder}/completion; complete -C 'millrace ${line.join(' ')}'`;
    const env = { ...process.env, HOME: folder, PATH: `${folder}:${process.env.PATH}` };
    writeFileSync(join(folder, 'file-of-this-folder'), '');
    const { stdout } = await promisify(execFile)('fish', ['--no-config', '-c', command], { env, cwd: folder });
    rmSync(folder, { recursive: true });
    return stdout.split('\n').filter((line) => line !== '');
  };
  expect((await complete('status', '')).sort()).toEqual([...ODD].sort());
  expect(await complete('apply', '-f', 'file-of')).toEqual(['file-of-this-folder']);
});

test.each(['zsh', 'fish'] as const)('the script is valid %s, where that is installed', async (shell) => {
  const { out } = await cli('http://127.0.0.1:1', 'completion', shell);
  expect(out).toBe(SCRIPTS[shell]);
  expect(out).toContain('millrace __complete words');
  const folder = mkdtempSync(join(tmpdir(), 'millrace-completion-'));
  writeFileSync(join(folder, 'script'), out);
  const { error, status, stderr } = spawnSync(shell, ['-n', join(folder, 'script')], { encoding: 'utf8' });
  rmSync(folder, { recursive: true });
  expect(error ? '' : `${status} ${stderr}`).toBe(error ? '' : '0 ');
});
