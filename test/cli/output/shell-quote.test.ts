import { execFileSync } from 'node:child_process';
import { isRunnable, shellQuote } from '../../../packages/cli/src/output/shell-quote';

test.each(['plain', '/a/b.txt', 'two words', `it's "quoted"`, '$HOME `id` \\', '{"a":"b"}', 'ä\n'])(
  'a shell passes %j unchanged',
  (text) => {
    expect(execFileSync('/bin/sh', ['-c', `printf %s ${shellQuote(text, 'linux')}`]).toString()).toBe(text);
  },
);

test('zsh replaces a word that begins with =', () => {
  expect(shellQuote('=ls', 'linux')).toBe("'=ls'");
  expect(shellQuote('a=ls', 'linux')).toBe('a=ls');
});

test.each([
  ['C:\\data\\a.txt', 'C:\\data\\a.txt'],
  ['C:\\my data\\a.txt', '"C:\\my data\\a.txt"'],
  ['a&calc|b<c>d^e', '"a&calc|b<c>d^e"'],
  [`it's (1, 2); @x`, `"it's (1, 2); @x"`],
  ['', '""'],
])('Windows: double quotes, in which neither cmd nor PowerShell changes %j', (text, quoted) => {
  expect(shellQuote(text, 'win32')).toBe(quoted);
  expect(isRunnable(`echo ${quoted}`)).toBe(true);
});

test.each([
  ...[
    '$(calc)',
    '$env:PATH',
    '%PATH%',
    '!PATH!',
    'a`nb',
    'a"&calc&"',
    '{"a":1}',
    'a\u201d; calc; \u201cb',
    'a\n',
    'a b\\',
  ],
])('Windows: a command with %j is not shown', (text) => {
  expect(isRunnable(`echo ${shellQuote(text, 'win32')}`)).toBe(false);
});
