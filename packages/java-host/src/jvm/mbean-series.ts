/**
 * MBeans as series of Prometheus, with the names that dashboards expect: Debezium's as the usual rule of the JMX
 * exporter names them, all others as the exporter does without rules. Pure.
 */
import type { HostValue } from '../wire/host-value';

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

/** Of the list that `mbeans` answers; what is not a number is left out. */
export function mbeanSeries(mbeans: HostValue): readonly MetricSeries[] {
  const found: MetricSeries[] = [];
  if (!Array.isArray(mbeans)) return found;
  for (const bean of mbeans as readonly HostValue[]) {
    const { name, attributes } = (bean ?? {}) as Readonly<Record<string, HostValue | undefined>>;
    const parsed = typeof name === 'string' ? parseObjectName(name) : null;
    if (!parsed || typeof attributes !== 'object' || attributes === null) continue;
    const { prefix, labels } = namesOf(parsed);
    for (const [attribute, value] of Object.entries(attributes as Readonly<Record<string, HostValue>>)) {
      if (found.length >= MAX_SERIES) return found;
      const number = numberOf(value);
      if (Number.isNaN(number)) continue;
      const help = `Attribute ${attribute} of MBeans of ${parsed.domain}.`;
      found.push({ name: safeName(`${prefix}_${attribute}`), help, labels, value: number });
    }
  }
  return found;
}

function namesOf({ domain, properties }: ObjectName): Pick<MetricSeries, 'labels'> & { readonly prefix: string } {
  const plugin = DEBEZIUM.exec(domain)?.groups?.['plugin'];
  const [first, ...others] = properties;
  if (plugin === undefined || first?.[0] !== 'type')
    return { prefix: `${domain}_${first?.[1] ?? ''}`, labels: labelsOf(others) };
  const renamed = others.map(([key, value]) => [key === 'server' ? 'name' : key, value] as const);
  return { prefix: 'debezium_metrics', labels: labelsOf([['plugin', plugin], ...renamed]) };
}

function labelsOf(properties: ObjectName['properties']): Readonly<Record<string, string>> {
  // A name such as __proto__ is one that Prometheus keeps for itself.
  return Object.fromEntries(properties.map(([key, value]) => [safeName(key).replace(/^__+/, '_'), value]));
}

/** The exporter's rule. */
function safeName(name: string): string {
  const safe = name.replace(/[^\w:]+/g, '_').replace(/__+/g, '_');
  return /^\d/.test(safe) ? `_${safe}` : safe;
}

/** NaN: it is not one, or unknown. */
function numberOf(value: HostValue): number {
  if (typeof value === 'boolean') return value ? 1 : 0;
  return typeof value === 'number' || typeof value === 'bigint' ? Number(value) : NaN;
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
