/** docs/deployment.md: each block of values renders, and a worker accepts the settings. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { ROOT } from '../../../../dev/services/paths';
import { parseProperties } from '../../../../packages/texts/src/properties';
import { parseWorkerConfig } from '../../../../src/config/worker-config';
import { CHART, find, manifestsIn, template, workersOf } from './chart';
import { testWithHelm, useHelm } from './tools';

const releases = useHelm();
const page = readFileSync(join(ROOT, 'docs', 'deployment.md'), 'utf8');
const blocks = [...page.matchAll(/^```yaml\n(.*?)^```$/gms)].map(([, text = '']) => text);

test('the page has blocks of values', () => {
  expect(blocks.length).toBeGreaterThan(3);
});

testWithHelm.each(blocks.map((text) => [text.split('\n')[0], text]))(
  'the values that begin with %s render',
  (_, text) => {
    for (const helm of releases()) {
      const manifests = manifestsIn(template(helm, parse(text as string) as object));
      const settings = parseProperties(find(manifests, 'ConfigMap').data['worker.properties']);
      expect(parseWorkerConfig(settings).groupId).toBe('r-millrace');
      const { scheme } = workersOf(manifests).spec.template.spec.containers[0].livenessProbe.httpGet;
      expect(settings.listeners).toBe(`${scheme.toLowerCase()}://:8083`);
    }
  },
);

testWithHelm.each([
  ['docs/deployment.md', ROOT],
  ['deploy/helm/millrace/README.md', CHART],
])('the commands that install the chart, of %s, render it', (file, cwd) => {
  const [command = ''] = /^helm install (?:.*\\\n)*.*$/m.exec(readFileSync(join(ROOT, file), 'utf8')) ?? [];
  const args = command.replaceAll('\\\n', ' ').trim().split(/\s+/).slice(2);
  for (const helm of releases()) {
    const { status, stdout, stderr } = spawnSync(helm, ['template', ...args], { cwd, encoding: 'utf8' });
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).toContain('image: registry.example/millrace:');
  }
});

test('the page names existing values', () => {
  const values = parse(readFileSync(join(CHART, 'values.yaml'), 'utf8')) as Record<string, unknown>;
  const [kubernetes = ''] = page.split(/^## /m).slice(1);
  const named = [...kubernetes.matchAll(/^\| `([^|]*)` \|/gm)].flatMap(([, cell = '']) => cell.split(/`, `/));
  expect(named.length).toBeGreaterThan(8);
  for (const path of named.filter((name) => !name.includes('*') && !name.includes(':') && !/^scheduled\./.test(name))) {
    const value = path.split('.').reduce<unknown>((at, key) => (at as Record<string, unknown>)?.[key], values);
    expect([path, value]).not.toEqual([path, undefined]);
  }
});
