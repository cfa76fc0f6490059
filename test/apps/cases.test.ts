/** Every case of the two programs' contracts has a test with its number in the title. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

function textsUnder(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => readFileSync(join(folder, name), 'utf8'));
}

test.each([
  ['users-app', 'users', 35],
  ['slash-webhook', 'slash-image', 39],
])('%s', (contract, folder, cases) => {
  const titles = textsUnder(join(__dirname, folder)).flatMap((text) => [
    ...text.matchAll(new RegExp(`['\`]${contract} ([\\d, ]+):`, 'g')),
  ]);
  const named = new Set(titles.flatMap(([, list = '']) => list.split(',').map(Number)));
  expect(Array.from({ length: cases }, (_, i) => i + 1).filter((number) => !named.has(number))).toEqual([]);
});
