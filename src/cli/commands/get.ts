import type { CommandSpec } from '../program/command-spec';
import { CONNECTOR_NAMES } from '../program/shared-options';

const shared = ['output', 'server'] as const;

export const command: CommandSpec = {
  name: 'get',
  summary: 'list connectors, plugins, offsets, workers, loggers or topics',
  examples: [
    { command: 'get connectors', explanation: 'Connectors with their states and tasks' },
    { command: "get connectors 'orders-*' -o json", explanation: 'Those that match, for a program' },
  ],
  subcommands: [
    {
      name: 'connectors',
      summary: 'list connectors with their states and tasks',
      arguments: [CONNECTOR_NAMES],
      shared,
      examples: [{ command: 'get connectors', explanation: 'All connectors; TASKS counts the running ones of all' }],
      load: () => require('../get/connectors') as typeof import('../get/connectors'),
    },
    {
      name: 'plugins',
      summary: 'list the plugins that are installed on the worker that answers',
      arguments: [
        {
          name: '[classes...]',
          description: 'classes or their last parts, or patterns (default: all)',
          completes: 'plugins',
        },
      ],
      options: [
        {
          flags: '--type <type>',
          description: 'only plugins of this type',
          choices: ['source', 'sink', 'converter', 'header_converter', 'transformation', 'predicate'],
        },
      ],
      shared,
      examples: [{ command: 'get plugins --type sink', explanation: 'Connectors that can write records elsewhere' }],
      load: () => require('../get/plugins') as typeof import('../get/plugins'),
    },
    {
      name: 'schema',
      summary: "print the JSON Schema of a plugin's config, for editors",
      description:
        "Print the JSON Schema of a plugin's config, with which editors complete and check connector documents. Only workers of Millrace have it.",
      arguments: [{ name: '<class>', description: 'class, or its last part', completes: 'plugins' }],
      shared: ['server'],
      examples: [
        { command: 'get schema FileStreamSource > file-source.schema.json', explanation: 'A file for an editor' },
      ],
      load: () => require('../get/schema') as typeof import('../get/schema'),
    },
    {
      name: 'offsets',
      summary: 'list the offsets of connectors',
      arguments: [CONNECTOR_NAMES],
      shared,
      examples: [{ command: 'get offsets orders', explanation: 'How far a connector has read' }],
      load: () => require('../get/offsets') as typeof import('../get/offsets'),
    },
    {
      name: 'workers',
      summary: 'list the workers that run connectors or tasks',
      description:
        'List the workers that run connectors or tasks, and the workers of the URL. Connect has no list of a group: a worker without work appears only if its URL is given. Version and health are those of the workers of the URL.',
      shared,
      examples: [{ command: 'get workers', explanation: 'Workers with the number of their connectors and tasks' }],
      load: () => require('../get/workers') as typeof import('../get/workers'),
    },
    {
      name: 'loggers',
      summary: 'list the log levels of the worker that answers',
      arguments: [{ name: '[names...]', description: 'loggers, or patterns (default: all)', completes: 'loggers' }],
      shared,
      examples: [{ command: 'get loggers', explanation: 'Loggers whose level is set' }],
      load: () => require('../get/loggers') as typeof import('../get/loggers'),
    },
    {
      name: 'topics',
      summary: 'list the topics that connectors have used',
      arguments: [CONNECTOR_NAMES],
      shared,
      examples: [{ command: 'get topics orders', explanation: 'Topics that a connector has read or written' }],
      load: () => require('../get/topics') as typeof import('../get/topics'),
    },
  ],
};
