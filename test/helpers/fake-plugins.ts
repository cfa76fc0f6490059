/** A registry of plugins that validation can be tested with, and the worker config that belongs to them. */
import type { ConverterPlugin, HeaderConverterPlugin, SinkConnector, SourceConnector } from '@millrace/sdk';
import type { WorkerConfig } from '../../src/config/worker-config';
import { CONVERTER_TYPE } from '../../src/converters/converter-type';
import { silentLogger } from '../../src/logging/logger';
import { createPluginRegistry } from '../../src/plugins/create-registry';
import type { BuiltInPlugin, PluginRegistry } from '../../src/plugins/registry';

export const SRC = { 'connector.class': 'FileStreamSource', topic: 't' };
export const SNK = { 'connector.class': 'FileStreamSink', topics: 't' };

const noTask = (): never => {
  throw new Error('no task is started here');
};

const fileSource: SourceConnector = {
  type: 'source',
  config: [
    { name: 'file', type: 'STRING', default: null, importance: 'HIGH', documentation: 'Source file.' },
    {
      name: 'topic',
      type: 'STRING',
      importance: 'HIGH',
      documentation: 'Topic.',
      validator: (value) => (value === '' ? 'String must be non-empty' : null),
    },
    { name: 'batch.size', type: 'INT', default: 2000, importance: 'LOW', documentation: 'Batch size.' },
  ],
  createTask: noTask,
};
const fileSink: SinkConnector = {
  type: 'sink',
  config: [{ name: 'file', type: 'STRING', default: null, importance: 'HIGH', documentation: 'Destination file.' }],
  createTask: noTask,
};
/** Follows its config: throws, hangs, or reports errors. */
const oddSource: SourceConnector = {
  type: 'source',
  config: [
    { name: 'tasks.max', type: 'INT', default: 0, importance: 'HIGH', documentation: 'Its own idea.', group: 'Odd' },
    { name: 'secret', type: 'PASSWORD', default: 'pw', importance: 'HIGH', documentation: 'A password.' },
    {
      name: 'pin',
      type: 'PASSWORD',
      default: null,
      importance: 'LOW',
      documentation: 'Never good.',
      validator: (value) => (value === null ? null : 'too short'),
    },
    { name: 'ratio', type: 'DOUBLE', default: 7, importance: 'LOW', documentation: 'A ratio.' },
    { name: 'behavior', type: 'STRING', default: '', importance: 'LOW', documentation: 'What validate does.' },
  ],
  validate: async (config) => {
    if (config.behavior === 'throw') throw new Error('x');
    if (config.behavior === 'hang') await new Promise(() => undefined);
    if (config.behavior === 'complain') {
      return [
        { key: 'ratio', message: 'The ratio is not to my liking' },
        { key: 'nowhere', message: 'This key is missing' },
      ];
    }
    return [];
  },
  createTask: noTask,
};
const jsonConverter: ConverterPlugin = {
  type: 'converter',
  config: [
    CONVERTER_TYPE,
    {
      name: 'schemas.enable',
      type: 'BOOLEAN',
      default: true,
      importance: 'HIGH',
      documentation: 'Schemas.',
      group: 'Schemas',
    },
    {
      name: 'decimal.format',
      type: 'STRING',
      default: 'BASE64',
      importance: 'LOW',
      documentation: 'Decimals.',
      group: 'Serialization',
    },
  ],
  create: noTask,
};
const headerConverter: HeaderConverterPlugin = { type: 'header_converter', config: [], create: noTask };

export function builtIn(className: string, plugin: BuiltInPlugin['plugin'], version = '4.3.1'): BuiltInPlugin {
  return {
    description: {
      type: plugin.type,
      class: className,
      version,
      aliases: [],
      taskClass: plugin.type === 'source' || plugin.type === 'sink' ? className.replace(/Connector$/, 'Task') : null,
      location: 'built-in',
    },
    plugin,
  };
}

export function fakeRegistry(more: readonly BuiltInPlugin[] = []): PluginRegistry {
  return createPluginRegistry({
    pluginPath: [],
    catalog: { entries: [], problems: [] },
    logger: silentLogger,
    builtIns: [
      ...more,
      builtIn('org.apache.kafka.connect.file.FileStreamSourceConnector', fileSource),
      builtIn('org.apache.kafka.connect.file.FileStreamSinkConnector', fileSink),
      builtIn('org.example.OddConnector', oddSource, 'undefined'),
      builtIn('org.example.a.TwinConnector', fileSource),
      builtIn('org.example.b.TwinConnector', fileSource),
      builtIn('org.apache.kafka.connect.json.JsonConverter', jsonConverter),
      builtIn('org.apache.kafka.connect.storage.SimpleHeaderConverter', headerConverter),
    ],
  });
}

export function fakeWorkerConfig(raw: Record<string, string> = {}): WorkerConfig {
  return {
    raw,
    groupId: 'connect-cluster',
    offset: { topic: 'connect-offsets', partitions: 25, replicationFactor: 1, topicConfigs: {} },
    keyConverter: 'org.apache.kafka.connect.json.JsonConverter',
    valueConverter: 'org.apache.kafka.connect.json.JsonConverter',
    headerConverter: 'org.apache.kafka.connect.storage.SimpleHeaderConverter',
    clientOverridePolicy: 'All',
    listeners: [],
    jvm: { maxHeapMb: 4096 },
    ...raw,
  } as unknown as WorkerConfig;
}
