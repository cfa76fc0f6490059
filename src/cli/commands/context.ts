import type { CommandSpec } from '../program/command-spec';

const load = {
  list: () => require('../context/list-contexts') as typeof import('../context/list-contexts'),
  use: () => require('../context/use-context') as typeof import('../context/use-context'),
  set: () => require('../context/set-context') as typeof import('../context/set-context'),
  delete: () => require('../context/delete-context') as typeof import('../context/delete-context'),
};

const NAME = { name: '<name>', description: 'name of the context', completes: 'contexts' } as const;

export const command: CommandSpec = {
  name: 'context',
  summary: 'list, choose and change the clusters that commands ask',
  description: `List, choose and change the clusters that commands ask.

Contexts are kept in millrace/contexts.yaml in the folder for settings ($XDG_CONFIG_HOME, %APPDATA% or ~/.config), or in the file that MILLRACE_CONTEXTS names. A context has the URL of the REST API, files for TLS, and the file with the credentials.`,
  examples: [
    {
      command: 'context set prod --url https://connect.example.com:8083 --credentials connect.credentials --use',
      explanation: 'A cluster, and the file with username and password, or token',
    },
    { command: 'context use prod', explanation: 'Ask this cluster from now on' },
  ],
  subcommands: [
    {
      name: 'list',
      summary: 'list the contexts',
      shared: ['output'],
      examples: [{ command: 'context list', explanation: 'All contexts; * marks the current one' }],
      load: load.list,
    },
    {
      name: 'use',
      summary: 'choose the current context',
      arguments: [NAME],
      examples: [{ command: 'context use prod', explanation: 'Ask this cluster from now on' }],
      load: load.use,
    },
    {
      name: 'set',
      summary: 'create a context or change the given parts of one',
      arguments: [NAME],
      options: [
        { flags: '--url <url>', description: 'URL of the REST API, or several separated by commas' },
        { flags: '--ca <file>', description: 'PEM file of the certificate authorities to trust' },
        { flags: '--certificate <file>', description: 'PEM file of your certificate' },
        { flags: '--key <file>', description: 'PEM file of your private key' },
        {
          flags: '--credentials <file>',
          description: 'properties file with username and password, or token; key.password of the private key',
        },
        { flags: '--config <worker.properties>', description: 'worker settings to connect to Kafka with' },
        { flags: '--use', description: 'make it the current context' },
      ],
      examples: [
        { command: 'context set dev --url http://localhost:8083', explanation: 'A worker on this machine' },
        {
          command: 'context set prod --url https://connect:8083 --ca ca.pem --credentials prod.credentials --use',
          explanation: 'A cluster with TLS and authentication',
        },
      ],
      load: load.set,
    },
    {
      name: 'delete',
      summary: 'delete a context',
      arguments: [NAME],
      examples: [{ command: 'context delete dev', explanation: 'Forget a cluster' }],
      load: load.delete,
    },
  ],
};
