/** `millrace describe`: all about a connector or a plugin. */
import type { VerbSpec } from '../program/command-spec';

const shared = ['output', 'server'] as const;

export const command: VerbSpec = {
  name: 'describe',
  examples: [
    { command: 'describe connector orders', explanation: 'State, failures, config, topics and offsets' },
    { command: 'describe plugin FileStreamSource', explanation: 'The settings of a plugin' },
  ],
  subcommands: [
    {
      name: 'connector',
      summary: 'show state, failures, config, topics and offsets of a connector',
      description:
        'Show state, failures, config, topics and offsets of a connector. Values of keys that are named like secrets, such as passwords and tokens, are hidden.',
      arguments: [{ name: '<name>', description: 'connector', completes: 'connectors' }],
      options: [{ flags: '--task-configs', description: 'also show the configs of the tasks' }],
      shared,
      examples: [
        { command: 'describe connector orders', explanation: 'All about a connector' },
        { command: 'describe connector orders --task-configs', explanation: 'How it splits its work' },
      ],
      load: () => require('./describe/connector') as typeof import('./describe/connector'),
    },
    {
      name: 'plugin',
      summary: 'show the settings of a plugin with their documentation',
      description:
        'Show the settings of a plugin by group, required ones first, with their documentation and, of a worker of Millrace, the values that are valid.',
      arguments: [{ name: '<class>', description: 'class, or its last part', completes: 'plugins' }],
      shared,
      examples: [
        { command: 'describe plugin FileStreamSource', explanation: 'What a connector can be configured with' },
      ],
      load: () => require('./describe/plugin') as typeof import('./describe/plugin'),
    },
  ],
};
