/** The contents of README.md match the repository, and the links of all pages have a target. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const ROOT = join(__dirname, '..', '..');
const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');
const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: Record<string, string> };

test('it is read in a few minutes: at most 150 lines, the first picture is of the console', () => {
  expect(readme.trimEnd().split('\n').length).toBeLessThanOrEqual(150);
  expect(/!\[[^\]]+\]\(([^)]+)\)/.exec(readme)?.[1]).toMatch(/^docs\/images\/console\/[\w-]+\.png$/);
});

test('the part of a plugin that it shows is of examples/plugins/ticker', () => {
  const [, shown] = /^```js\n([^]+?)^```$/m.exec(readme) ?? [];
  expect(readFileSync(join(ROOT, 'examples', 'plugins', 'ticker', 'index.js'), 'utf8')).toContain(shown);
});

const pages = [
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'SECURITY.md',
  'apps/users/README.md',
  'apps/slash-image/README.md',
  'connectors/analytics/README.md',
  'packages/embedded/README.md',
  ...readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];

/** Of a page's headings, as they are linked to: without punctuation, blanks as dashes. */
function anchors(path: string): string[] {
  const headings = [...readFileSync(path, 'utf8').matchAll(/^#+ (.*)$/gm)].map((match) => match[1] as string);
  return headings.map((heading) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-'),
  );
}

test.each(pages)('every file and heading that %s links to exists', (page) => {
  const text = readFileSync(join(ROOT, page), 'utf8');
  const links = [...text.matchAll(/\]\(([^)]+)\)/g)].map((match) => match[1] as string);
  const own = links.filter((link) => !link.startsWith('http'));
  const found = (link: string) => {
    const [file, heading] = link.split('#') as [string, string | undefined];
    const target = file === '' ? join(ROOT, page) : join(ROOT, dirname(page), file);
    return existsSync(target) && (heading === undefined || anchors(target).includes(heading));
  };
  expect(own.filter((link) => !found(link))).toEqual([]);
});

test('every npm script it names exists', () => {
  const named = [...readme.matchAll(/npm run ([a-z:]+)/g)].map((match) => match[1] as string);
  expect(named.filter((name) => !(name in scripts))).toEqual([]);
});
