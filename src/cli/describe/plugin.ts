/** `millrace describe plugin` */
import { ConnectError } from '@millrace/sdk';
import { aliasOf, classNamed, readPlugins } from '../connectors/plugins';
import { writeAnswer } from '../output/answer';
import { paintOf } from '../output/colours';
import { shownValue } from '../output/printable';
import type { Invocation } from '../program/command-spec';
import { type ConnectClient, path } from '../rest/connect-client';
import { listOf, objectOf, textOf } from '../rest/reply';
import { withClient } from '../rest/clients';
import { pluginText, type DescribedKey, type DescribedPlugin } from './plugin-text';

export async function run(invocation: Invocation): Promise<number> {
  const { io, args } = invocation;
  const described = await withClient(invocation, (client) => describe(client, args[0] as string));
  writeAnswer(invocation, described, () => pluginText(described, paintOf(io), io.stdout.columns));
  return 0;
}

async function describe(client: ConnectClient, text: string): Promise<DescribedPlugin> {
  const all = await readPlugins(client);
  const name = classNamed(all, text);
  const same = all.filter((plugin) => plugin.class === name);
  const [first] = same;
  if (!first)
    throw new ConnectError(`There is no plugin "${text}" on ${client.address}; see "millrace get plugins".`, {
      code: 'REST_NOT_FOUND',
    });
  const at = path`/connector-plugins/${name}/config`;
  const keys = listOf(await client.request(at), `GET ${at}`).map((entry) => keyOf(objectOf(entry, `GET ${at}`)));
  return {
    class: name,
    alias: aliasOf(first),
    types: [...new Set(same.map(({ type }) => type))],
    versions: [...new Set(same.map(({ version }) => version).filter((version) => version !== ''))],
    config: keys,
  };
}

function keyOf(entry: Readonly<Record<string, unknown>>): DescribedKey {
  const { name, type, required, default_value: preset, importance, documentation, group } = entry;
  const isGiven = preset !== null && preset !== undefined;
  return {
    name: textOf(name),
    type: textOf(type),
    required: required === true,
    importance: textOf(importance),
    group: textOf(group),
    default: isGiven ? shownValue(type === 'PASSWORD' ? 'password' : textOf(name), textOf(preset)) : null,
    documentation: textOf(documentation),
  };
}
