/** `millrace get plugins` */
import { selectNamed } from '../connectors/name-pattern';
import { classNamed, readPlugins } from '../connectors/plugins';
import { writeAnswer } from '../output/answer';
import type { Invocation } from '../program/command-spec';
import { withClient } from '../rest/clients';

export async function run(invocation: Invocation): Promise<number> {
  const { type } = invocation.options as { type?: string };
  const all = await withClient(invocation, readPlugins);
  const patterns = invocation.args.map((text) => classNamed(all, text));
  const plugins = selectNamed(all, patterns, 'plugin', (plugin) => plugin.class).filter(
    (plugin) => type === undefined || plugin.type === type,
  );
  writeAnswer(invocation, plugins, () => ({
    headings: ['CLASS', 'TYPE', 'VERSION'],
    rows: plugins.map((plugin) => [plugin.class, plugin.type, plugin.version]),
  }));
  return 0;
}
