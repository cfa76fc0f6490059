/** The tables of docs/errors.md. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface ErrorEntry {
  readonly code: string;
  /** Heading of the table, e.g. `Connectors and tasks`. */
  readonly area: string;
  readonly happened: string;
  readonly cure: string;
}

/** Part of the package; at the same distance from `src` and from `dist`. */
const PAGE = join(__dirname, '..', '..', 'docs', 'errors.md');

export function readErrorPage(): readonly ErrorEntry[] {
  return parseErrorPage(readFileSync(PAGE, 'utf8'));
}

let known: ReadonlyMap<string, ErrorEntry> | null = null;

/** The page is read once. Null: an unknown code, or an installation without the page. */
export function explanationOf(code: string): ErrorEntry | null {
  try {
    known ??= new Map(readErrorPage().map((entry) => [entry.code, entry]));
  } catch {
    known = new Map();
  }
  return known.get(code) ?? null;
}

/** @param page text of docs/errors.md; a row may name several codes, each becomes an entry */
export function parseErrorPage(page: string): readonly ErrorEntry[] {
  const entries: ErrorEntry[] = [];
  let area = '';
  for (const line of page.split('\n')) {
    if (line.startsWith('#')) area = plain(line.replace(/^#+/, ''));
    if (!line.startsWith('| `')) continue;
    const [, codes = '', happened = '', cure = ''] = line.split(/(?<!\\)\|/);
    for (const [, code = ''] of codes.matchAll(/`([A-Z0-9_]+)`/g))
      entries.push({ code, area, happened: plain(happened), cure: plain(cure) });
  }
  return entries;
}

/** Without Markdown, except backticks. */
function plain(cell: string): string {
  return cell
    .replaceAll('\\|', '|')
    .replace(/\[([^\][]*)\]\(([^()]*)\)/g, (_, text: string, target: string) => `${text} (${pathOf(target)})`)
    .trim();
}

/** Links of the page are relative to `docs`. */
function pathOf(target: string): string {
  if (target.includes('://')) return target;
  if (target.startsWith('#')) return `docs/errors.md${target}`;
  return target.startsWith('../') ? target.slice(3) : `docs/${target}`;
}
