/** `millrace context`: named clusters. */
import { resolve } from 'node:path';
import { ConnectError } from '@millrace/sdk';
import { type Context, CONTEXT_KEYS, contextsPath, readContexts, writeContexts } from '../context/contexts-file';
import { contextOf, urlsOf } from '../context/server';
import { writeAnswer } from '../output/answer';
import type { Invocation, VerbSpec } from '../program/command-spec';

const NAME = { name: '<name>', description: 'name of the context', completes: 'contexts' } as const;

export const command: VerbSpec = {
  name: 'context',
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
      run: listContexts,
    },
    {
      name: 'use',
      summary: 'choose the current context',
      arguments: [NAME],
      examples: [{ command: 'context use prod', explanation: 'Ask this cluster from now on' }],
      run: useContext,
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
      run: setContext,
    },
    {
      name: 'delete',
      summary: 'delete a context',
      arguments: [NAME],
      examples: [{ command: 'context delete dev', explanation: 'Forget a cluster' }],
      run: deleteContext,
    },
  ],
};

/** The name appears in texts and in shell completion. */
const VALID_NAME = /^[A-Za-z0-9][A-Za-z0-9._@/-]{0,99}$/;

function setContext({ args, options, io }: Invocation): number {
  const name = args[0] as string;
  if (!VALID_NAME.test(name) || name === '__proto__')
    throw new ConnectError(`"${name}" is not a valid name: use letters, digits and . _ @ / -.`, { code: 'CLI_USAGE' });
  const given = options as Partial<Record<(typeof CONTEXT_KEYS)[number], string>> & { readonly use?: boolean };
  if (given.url !== undefined) urlsOf(given.url);
  const { current, contexts } = readContexts(io);
  const known = Object.hasOwn(contexts, name) ? contexts[name] : undefined;
  const changes = CONTEXT_KEYS.flatMap((key) => {
    const value = given[key];
    return value === undefined ? [] : [[key, key === 'url' ? value : resolve(io.cwd, value)] as const];
  });
  const context = { ...known, ...Object.fromEntries(changes) } as Partial<Context>;
  if (context.url === undefined) throw new ConnectError(`Set --url of context "${name}".`, { code: 'CLI_USAGE' });
  const isCurrent = given.use === true || current === undefined;
  writeContexts(io, { current: isCurrent ? name : current, contexts: { ...contexts, [name]: context as Context } });
  io.stderr.write(`Context "${name}" is set${isCurrent ? ' and current' : ''}.\n`);
  return 0;
}

function listContexts(invocation: Invocation): number {
  const { current, contexts } = readContexts(invocation.io);
  const list = Object.entries(contexts).map(([name, context]) => ({ name, current: name === current, ...context }));
  if (list.length === 0) invocation.io.stderr.write(`No contexts in ${contextsPath(invocation.io)}.\n`);
  writeAnswer(invocation, list, () => ({
    headings: ['CURRENT', 'NAME', 'URL', 'CREDENTIALS', 'CONFIG'],
    rows: list.map(({ name, current: isCurrent, url, credentials, config }) => [
      isCurrent ? '*' : '',
      name,
      url,
      credentials ?? '',
      config ?? '',
    ]),
  }));
  return 0;
}

function useContext({ args, io }: Invocation): number {
  const name = args[0] as string;
  contextOf({ options: { context: name }, io });
  const contexts = readContexts(io);
  writeContexts(io, { ...contexts, current: name });
  io.stderr.write(`Commands ask ${contexts.contexts[name]?.url} now.\n`);
  return 0;
}

function deleteContext({ args, io }: Invocation): number {
  const name = args[0] as string;
  contextOf({ options: { context: name }, io });
  const { current, contexts } = readContexts(io);
  const kept = Object.fromEntries(Object.entries(contexts).filter(([key]) => key !== name));
  writeContexts(io, { ...(current !== undefined && current !== name && { current }), contexts: kept });
  io.stderr.write(`Context "${name}" is deleted.\n`);
  return 0;
}
