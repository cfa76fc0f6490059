import { execFileSync } from 'node:child_process';
import { shellQuote } from '../../../src/cli/output/shell-quote';

test.each(['plain', '/a/b.txt', 'two words', `it's "quoted"`, '$HOME `id` \\', '{"a":"b"}', 'ä\n'])(
  'a shell passes %j unchanged',
  (text) => {
    expect(execFileSync('/bin/sh', ['-c', `printf %s ${shellQuote(text, 'linux')}`]).toString()).toBe(text);
  },
);

test('Windows: double quotes', () => {
  expect(shellQuote('{"a":1}', 'win32')).toBe('"{\\"a\\":1}"');
});
