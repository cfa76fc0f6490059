/** `millrace get schema` */
import { ConnectError } from '@millrace/sdk';
import { classNamed, readPlugins } from '../connectors/plugins';
import { exactJsonText } from '../output/exact-json';
import type { Invocation } from '../program/command-spec';
import { type ConnectClient, path } from '../rest/connect-client';
import { withClient } from '../rest/clients';

export async function run(invocation: Invocation): Promise<number> {
  const { io, args } = invocation;
  const schema = await withClient(invocation, (client) => read(client, args[0] as string));
  io.stdout.write(`${exactJsonText(schema)}\n`);
  return 0;
}

async function read(client: ConnectClient, text: string): Promise<unknown> {
  const plugins = await readPlugins(client);
  const name = classNamed(plugins, text);
  try {
    return await client.request(path`/connector-plugins/${name}/schema`);
  } catch (error) {
    const isMissing = error instanceof ConnectError && error.code === 'REST_NOT_FOUND';
    if (!isMissing) throw error;
    const isInstalled = plugins.some((plugin) => plugin.class === name);
    throw new ConnectError(
      isInstalled
        ? `${client.address} has no JSON Schemas: only workers of Millrace have them.`
        : `There is no plugin "${text}" on ${client.address}; see "millrace get plugins".`,
      { code: 'REST_NOT_FOUND', cause: error },
    );
  }
}
