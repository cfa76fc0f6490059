/**
 * MBeans as series of Prometheus, with the names that dashboards expect: Debezium's as the usual rule of the JMX
 * exporter names them, all others as the exporter does without rules. Pure.
 */
import type { HostMap, HostValue } from '../wire/host-value';
import { type BeanNumber, numbersIn } from './bean-numbers';

export interface MetricSeries {
  readonly name: string;
  readonly help: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

interface ObjectName {
  readonly domain: string;
  /** In the order of the name. */
  readonly properties: readonly (readonly [key: string, value: string])[];
}

const MAX_SERIES = 5_000;
const DEBEZIUM = /^debezium\.(?<plugin>[^.]+)$/;

/** Of the list that `mbeans` answers; what has no number is left out. */
export function mbeanSeries(mbeans: HostValue): readonly MetricSeries[] {
  const found: MetricSeries[] = [];
  if (!Array.isArray(mbeans)) return found;
  for (const bean of mbeans as readonly HostValue[]) {
    const { name, attributes } = (bean ?? {}) as Readonly<Record<string, HostValue | undefined>>;
    const parsed = typeof name === 'string' ? parseObjectName(name) : null;
    if (!parsed || typeof attributes !== 'object' || attributes === null) continue;
    const names = namesOf(parsed);
    for (const [attribute, value] of Object.entries(attributes as HostMap))
      for (const number of numbersIn(attribute, value)) {
        if (found.length >= MAX_SERIES) return found;
        const help = `Attribute ${attribute} of MBeans of ${parsed.domain}.`;
        found.push({ ...seriesOf(names, number), help });
      }
  }
  return found;
}

interface BeanNames {
  readonly prefix: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly isDebezium: boolean;
}

function seriesOf(bean: BeanNames, { names, index, value }: BeanNumber): Omit<MetricSeries, 'help'> {
  const name = safeName([bean.prefix, ...names].join('_'));
  if (index.length === 0) return { name, labels: bean.labels, value };
  const labels = new Map(Object.entries(bean.labels));
  for (const [column, row] of index) {
    // Debezium's maps have tables as keys, and its dashboards this label.
    let label = bean.isDebezium && column === 'key' ? 'table' : safeLabel(column);
    while (labels.has(label)) label += '_';
    labels.set(label, row);
  }
  return { name, labels: Object.fromEntries(labels), value };
}

function namesOf({ domain, properties }: ObjectName): BeanNames {
  const plugin = DEBEZIUM.exec(domain)?.groups?.['plugin'];
  const [first, ...others] = properties;
  if (plugin === undefined || first?.[0] !== 'type')
    return { prefix: `${domain}_${first?.[1] ?? ''}`, labels: labelsOf(others), isDebezium: false };
  const renamed = others.map(([key, value]) => [key === 'server' ? 'name' : key, value] as const);
  return { prefix: 'debezium_metrics', labels: labelsOf([['plugin', plugin], ...renamed]), isDebezium: true };
}

function labelsOf(properties: ObjectName['properties']): Readonly<Record<string, string>> {
  return Object.fromEntries(properties.map(([key, value]) => [safeLabel(key), value]));
}

/** A name such as __proto__ is one that Prometheus keeps for itself. */
function safeLabel(name: string): string {
  return safeName(name).replace(/^__+/, '_');
}

/** The exporter's rule. */
function safeName(name: string): string {
  const safe = name.replace(/[^\w:]+/g, '_').replace(/__+/g, '_');
  return /^\d/.test(safe) ? `_${safe}` : safe;
}

/** E.g. `kafka.connect:type=plugins,connector="a,b"`. Null: it is none. */
export function parseObjectName(name: string): ObjectName | null {
  const colon = name.indexOf(':');
  if (colon < 0) return null;
  const properties: [string, string][] = [];
  const property = /(?<key>[^,=]+)=(?:"(?<quoted>(?:[^"\\]|\\.)*)"|(?<plain>[^,"]*))(?:,|$)/y;
  property.lastIndex = colon + 1;
  while (property.lastIndex < name.length) {
    const { key = '', quoted, plain = '' } = property.exec(name)?.groups ?? {};
    if (key === '') return null;
    properties.push([key, quoted === undefined ? plain : unquoted(quoted)]);
  }
  return { domain: name.slice(0, colon), properties };
}

function unquoted(text: string): string {
  return text.replace(/\\(.)/g, (_, character: string) => (character === 'n' ? '\n' : character));
}
