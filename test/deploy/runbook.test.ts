/** Each alert leads to a section of docs/how-to/alerts.md that says what to do. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
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
    const files = ['deploy/prometheus/alerts.yaml', 'deploy/grafana/millrace.json'];
    for (const file of files) cpSync(join(root, file), join(folder, file));
    execFileSync('/bin/sh', ['-c', command], { cwd: folder });
    const [alerts = '', dashboard = ''] = files.map((file) => readFileSync(join(folder, file), 'utf8'));
    expect(dashboard).not.toContain('millrace.example');
    const urls = rulesIn(alerts).map(({ annotations }) => annotations.runbook_url as string);
    expect(urls).toHaveLength(rules.length);
    const [, address = '?'] = /#([^#]+)#'/.exec(command) ?? [];
    expect(urls.filter((url) => !url.startsWith(`${address}#`))).toEqual([]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
