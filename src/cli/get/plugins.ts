/** `millrace get plugins` */
import { byName, selectNamed } from '../connectors/name-pattern';
import { writeAnswer } from '../output/answer';
import type { Invocation } from '../program/command-spec';
import { listOf, objectOf, textOf } from '../rest/reply';
import { withClient } from '../rest/with-client';

const LIST = '/connector-plugins?connectorsOnly=false';

export async function run(invocation: Invocation): Promise<number> {
  const { type } = invocation.options as { type?: string };
  const reply = await withClient(invocation, (client) => client.request(LIST));
  const all = listOf(reply, `GET ${LIST}`)
    .map((entry) => objectOf(entry, `GET ${LIST}`))
    .map((entry) => ({ class: textOf(entry.class), type: textOf(entry.type), version: textOf(entry.version) }))
    .sort(byName((plugin) => `${plugin.class} ${plugin.type}`));
  const patterns = invocation.args.map((text) => (text.includes('.') ? text : lastPart(all, text)));
  const plugins = selectNamed(all, patterns, 'plugin', (plugin) => plugin.class).filter(
    (plugin) => type === undefined || plugin.type === type,
  );
  writeAnswer(invocation, plugins, () => ({
    headings: ['CLASS', 'TYPE', 'VERSION'],
    rows: plugins.map((plugin) => [plugin.class, plugin.type, plugin.version]),
  }));
  return 0;
}

/** Connect accepts `FileStreamSink` for `org.apache.kafka.connect.file.FileStreamSinkConnector`. */
function lastPart(plugins: readonly { readonly class: string }[], text: string): string {
  const isNamed = (one: string): boolean => one === text || one === `${text}Connector`;
  return plugins.find((plugin) => isNamed(plugin.class.slice(plugin.class.lastIndexOf('.') + 1)))?.class ?? text;
}
