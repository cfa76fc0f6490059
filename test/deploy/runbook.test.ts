/** Each alert leads to a section of docs/how-to/alerts.md that says what to do. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { blocksIn } from '../helpers/command-blocks';

const root = join(__dirname, '..', '..');
const textOf = (path: string): string => readFileSync(join(root, path), 'utf8');

interface Rules {
  readonly groups: readonly {
    readonly rules: readonly { readonly alert: string; readonly annotations: Readonly<Record<string, string>> }[];
  }[];
}
const rulesIn = (text: string) => (parse(text) as Rules).groups.flatMap(({ rules }) => rules);
const rules = rulesIn(textOf('deploy/prometheus/alerts.yaml'));
/** Headings with the text below them. */
const sections = new Map(
  textOf('docs/how-to/alerts.md')
    .split(/^### /m)
    .slice(1)
    .map((text) => text.split(/\n([^]*)/).slice(0, 2) as [string, string]),
);

test('each alert has a section, and each section an alert', () => {
  expect([...sections.keys()].sort()).toEqual(rules.map(({ alert }) => alert).sort());
  const empty = [...sections].filter(([, text]) => text.replace(/^## .*$/m, '').trim().length < 80);
  expect(empty).toEqual([]);
});

test('runbook_url of each alert is the anchor of its section', () => {
  for (const { alert, annotations } of rules)
    expect(annotations.runbook_url).toBe(`https://millrace.example/docs/how-to/alerts.html#${alert.toLowerCase()}`);
});

test('the command of deploy/README.md replaces the address in all of them', () => {
  const command = blocksIn(textOf('deploy/README.md')).find(({ text }) => text.startsWith('sed '))?.text ?? 'false';
  const folder = mkdtempSync(join(tmpdir(), 'millrace-runbook-'));
  try {
    mkdirSync(join(folder, 'deploy', 'prometheus'), { recursive: true });
    const copy = join(folder, 'deploy', 'prometheus', 'alerts.yaml');
    cpSync(join(root, 'deploy', 'prometheus', 'alerts.yaml'), copy);
    execFileSync('/bin/sh', ['-c', command], { cwd: folder });
    const urls = rulesIn(readFileSync(copy, 'utf8')).map(({ annotations }) => annotations.runbook_url as string);
    expect(urls).toHaveLength(rules.length);
    const [, address = '?'] = /#([^#]+)#'/.exec(command) ?? [];
    expect(urls.filter((url) => !url.startsWith(`${address}#`))).toEqual([]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
