/**
 * Warnings of a worker's start about settings that are valid but probably not intended. Pure. Sources: connect-rest §5,
 * connect-runtime §1.2.
 */
import { WORKER_SETTINGS } from '../worker-settings';
import { type Difference, differenceText } from './difference';
import { workerDifferences } from './worker-differences';

/** Keys of one line. */
const MOST_KEYS = 20;

/**
 * One sentence or two each, without values.
 * @param ofPlugins settings that plugins request in their manifests
 */
export function startupWarnings(raw: Readonly<Record<string, string>>, ofPlugins: readonly string[] = []): string[] {
  const differences = workerDifferences(raw, ofPlugins).filter(({ kind }) => kind === 'ignored');
  // Other unknown keys are ignored silently, as in Java.
  const warnings = differences.flatMap(({ key, meant }) =>
    typeof meant === 'string' ? [`Worker setting "${key}" is not known and is ignored; did you mean "${meant}"?`] : [],
  );
  warnings.push(...withoutEffect(differences.filter(({ meant }) => meant === undefined)));
  const { pluginWatch, taskHost } = WORKER_SETTINGS;
  if (raw[pluginWatch.name]?.trim().toLowerCase() === 'true' && raw[taskHost.name]?.trim().toLowerCase() === 'inline')
    warnings.push(
      `Worker setting "${pluginWatch.name}" has no effect with ${taskHost.name}=inline: only threads can load changed code.`,
    );
  const protocol = raw['connect.protocol'] ?? '';
  if (!['', 'sessioned'].includes(protocol.toLowerCase()))
    warnings.push(
      `Internal request verification will be disabled for this cluster as this worker's connect.protocol configuration has ` +
        `been set to '${protocol}'. If this is not intentional, either remove the 'connect.protocol' configuration from the ` +
        `worker config file or change its value to 'sessioned'. If this configuration is left as-is, the cluster will be ` +
        'insecure: anyone who can connect may publish task configs, with HTTP Basic, too',
    );
  return warnings;
}

/** Keys about which the same is said share a line. */
function withoutEffect(differences: readonly Difference[]): string[] {
  const groups = new Map<string, Difference[]>();
  for (const difference of differences) {
    const said = `${difference.message} ${difference.instead ?? ''}`.trim();
    groups.set(said, [...(groups.get(said) ?? []), difference]);
  }
  return [...groups].map(([said, [first, ...others]]) => {
    if (others.length === 0) return `Worker setting ${differenceText(first as Difference)}`;
    const keys = [first as Difference, ...others].map(({ key }) => key);
    const more = keys.length > MOST_KEYS ? ` and ${keys.length - MOST_KEYS} more` : '';
    return `Worker settings have no effect: ${keys.slice(0, MOST_KEYS).join(', ')}${more}. ${said}`;
  });
}
