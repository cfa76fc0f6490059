/**
 * Converters of a preview whose schemas are in a registry: they get one in memory, so that nothing is registered, and
 * records are shown as their consumers would read them.
 */
import { type ConnectorConfig, type Converter, convertWhenReady } from '@millrace/sdk';
import type { ProducerRecord } from '@millrace/kafka-client';
import { withoutPrefix } from '../../../config/client-config';
import type { WorkerConfig } from '../../../config/worker-config';
import type { PluginRegistry } from '../../../plugins/registry';
import { jsonText } from '../../../records/json-text';
import { taskConverters } from '../../../tasks/task-converters';

const PARTS = ['key', 'value'] as const;
type Part = (typeof PARTS)[number];

const REGISTRY_URL = 'schema.registry.url';
const IN_MEMORY: Readonly<Record<string, string>> = {
  [REGISTRY_URL]: 'mock://preview',
  'auto.register.schemas': 'true',
  'use.latest.version': 'false',
};
/** Ids and versions of the real registry. */
const NOT_IN_MEMORY = new Set(['use.schema.id']);

export interface PreviewConverters {
  /** The connector's config, with converters that write nothing to a registry. */
  readonly config: ConnectorConfig;
  /** Null: the bytes are texts. */
  readonly read: ReadProduced | null;
}

/** JSON texts of a record's parts; null for those that are texts already. */
export type ReadProduced = (record: ProducerRecord) => Promise<Readonly<Record<Part, string | null>>>;

export async function previewConverters(
  config: ConnectorConfig,
  worker: WorkerConfig,
  registry: PluginRegistry,
): Promise<PreviewConverters> {
  const inMemory: Record<string, string> = {};
  const used = new Set<Part>();
  for (const part of PARTS) {
    const key = `${part}.converter`;
    const own = config[key]?.trim();
    const name = own || (part === 'key' ? worker.keyConverter : worker.valueConverter);
    const settings = own ? withoutPrefix(config, `${key}.`) : worker.withPrefix(`${key}.`);
    const description = registry.find(name, 'converter', settings['plugin.version']);
    if (description === null) continue;
    const plugin = await registry.load(description);
    if (plugin.type !== 'converter' || !plugin.config.some(({ name: setting }) => setting === REGISTRY_URL)) continue;
    used.add(part);
    const kept = Object.entries(settings).filter(([setting]) => !NOT_IN_MEMORY.has(setting));
    inMemory[key] = description.class;
    for (const [setting, value] of [...kept, ...Object.entries(IN_MEMORY)]) inMemory[`${key}.${setting}`] = value;
  }
  if (used.size === 0) return { config, read: null };
  const others = Object.entries(config).filter(([key]) => !PARTS.some((part) => used.has(part) && isOf(part, key)));
  const changed = { ...Object.fromEntries(others), ...inMemory };
  const { key, value } = await taskConverters(changed, worker, registry);
  const text = async (part: Part, { converter }: { readonly converter: Converter }, record: ProducerRecord) => {
    const bytes = record[part];
    if (!used.has(part) || !bytes) return null;
    // The producer's buffers are used again.
    const copy = Buffer.from(bytes);
    return jsonText(await convertWhenReady(() => converter.toConnectData(record.topic, copy)));
  };
  return {
    config: changed,
    read: async (record) => {
      const reading = [text('key', key, record), text('value', value, record)] as const;
      const [ofKey, ofValue] = await Promise.all(reading);
      return { key: ofKey, value: ofValue };
    },
  };
}

const isOf = (part: Part, key: string): boolean => key === `${part}.converter` || key.startsWith(`${part}.converter.`);
