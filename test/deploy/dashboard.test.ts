/** The dashboard shows the limits of the alert rules, and leads to what to do and to the console. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { dashboard } from '../../dev/metrics/dashboard';

interface Link {
  readonly title: string;
  readonly url: string;
}
interface Panel {
  readonly type: string;
  readonly title: string;
  readonly links?: readonly Link[];
  readonly fieldConfig: {
    readonly defaults: {
      readonly unit: string;
      readonly links: readonly Link[];
      readonly thresholds?: { readonly steps: readonly { readonly color: string; readonly value: number | null }[] };
    };
  };
  readonly targets: readonly { readonly expr: string; readonly legendFormat: string }[];
}
interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: 'warning' | 'critical' };
  readonly annotations: { readonly runbook_url: string };
}

const all = dashboard() as {
  readonly panels: readonly Panel[];
  readonly links: readonly Link[];
  readonly templating: { readonly list: readonly { readonly name: string }[] };
};
const panels = all.panels.filter(({ type }) => type !== 'row');
const { groups } = parse(readFileSync(join(__dirname, '..', '..', 'deploy', 'prometheus', 'alerts.yaml'), 'utf8')) as {
  readonly groups: readonly { readonly rules: readonly Rule[] }[];
};
const rules = new Map(groups.flatMap((group) => group.rules).map((rule) => [rule.alert, rule]));

const withAlert = panels.filter(({ links }) => links !== undefined);

test('panels about which there is a rule have its limit and color, and lead to its section', () => {
  expect(withAlert.length).toBeGreaterThan(15);
  for (const { title, links = [], fieldConfig } of withAlert) {
    const rule = rules.get(links[0]?.title.replace('What to do: ', '') ?? '');
    expect([title, links[0]?.url]).toEqual([title, rule?.annotations.runbook_url]);
    const steps = fieldConfig.defaults.thresholds?.steps ?? [];
    const color = rule?.labels.severity === 'critical' ? 'red' : 'orange';
    expect([title, steps.map((step) => step.color).sort()]).toEqual([title, ['green', color].sort()]);
    // Other rules compare with a state, of which a panel counts the tasks or workers.
    const limit = /^[^=]* > (\d+)$/.exec(rule?.expr.split('\n')[0]?.split(/ and | or | unless /)[0] ?? '')?.[1];
    if (limit !== undefined) expect([title, steps[1]?.value]).toEqual([title, Number(limit)]);
  }
});

test('each rule about tasks, lag and slots has a panel', () => {
  const shown = new Set(
    withAlert.flatMap(({ links = [] }) => links.map(({ title }) => title.replace('What to do: ', ''))),
  );
  for (const name of ['TaskFailed', 'TaskDisconnected', 'TaskStuck', 'FailedRecords', 'SinkBehind', 'TaskBehind'])
    expect(shown).toContain(`Millrace${name}`);
});

test('each rule about JVMs has a panel, and without JVMs none shows a zero', () => {
  const ofJvms = [...rules.keys()].filter((name) => name.startsWith('MillraceJvm'));
  expect(ofJvms.length).toBeGreaterThanOrEqual(4);
  const titles = withAlert.flatMap(({ links = [] }) => links.map(({ title }) => title));
  for (const name of ofJvms) expect(titles).toContain(`What to do: ${name}`);
  const expressions = panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
  const shown = expressions.filter((expr) => expr.includes('millrace_jvm_'));
  expect(shown.length).toBeGreaterThan(8);
  expect(shown.filter((expr) => /vector|absent| or /.test(expr))).toEqual([]);
});

test('each panel has a unit, and each series of a connector a link to its page in the console', () => {
  expect(panels.filter(({ fieldConfig }) => !fieldConfig.defaults.unit).map(({ title }) => title)).toEqual([]);
  const ofConnectors = panels.filter(({ targets }) =>
    targets.some((one) => one.legendFormat.includes('{{connector}}')),
  );
  expect(ofConnectors.length).toBeGreaterThan(10);
  for (const { fieldConfig } of ofConnectors)
    expect(fieldConfig.defaults.links[0]?.url).toBe('${console}/#/connectors/${__field.labels.connector}');
  expect(all.templating.list.map(({ name }) => name)).toContain('console');
});
