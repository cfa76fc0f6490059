/** The contents of README.md match the repository, and the links of all pages have a target. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const ROOT = join(__dirname, '..', '..');
const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');
const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: Record<string, string> };

test.each(['package.json', 'index.js'])('the plugin it shows is examples/plugins/ticker: %s', (file) => {
  expect(readme).toContain(`\n${readFileSync(join(ROOT, 'examples', 'plugins', 'ticker', file), 'utf8').trim()}\n`);
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
