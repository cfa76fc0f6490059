/** Validates a plugin's config as a worker does before it creates the plugin. */
import type { ConfigKey, ConfigProblem, ConfigType, ConnectorConfig, ParsedValue, WorkerSettings } from '../config-def';
import { checkProblems, configDefFault } from '../checks';
import type { Connector } from '../connector';
import type { PredicatePlugin, TransformationPlugin } from '../transformation';
import { TESTED } from './tested';

/**
 * Returns the problems of the plugin's own keys, including those from a connector's `validate`. Empty if the config is
 * valid.
 */
export async function checkConfig(
  plugin: Connector | TransformationPlugin | PredicatePlugin,
  config: ConnectorConfig,
  workerSettings: WorkerSettings = {},
): Promise<ConfigProblem[]> {
  const fault = configDefFault(plugin.config);
  if (fault !== null) throw new TypeError(`The plugin cannot be loaded: ${fault}.`);
  const problems = plugin.config.flatMap((key) => checkKey(key, config));
  // As in the worker, `validate` runs only if all values can be parsed.
  if (problems.length === 0 && 'validate' in plugin) {
    problems.push(...checkProblems(await plugin.validate?.(config, workerSettings), TESTED));
  }
  return problems;
}

function checkKey(key: ConfigKey, config: ConnectorConfig): ConfigProblem[] {
  const text = config[key.name];
  const problem = (message: string): ConfigProblem => ({ key: key.name, message });
  const problems: ConfigProblem[] = [];
  let value: ParsedValue = key.default === undefined ? null : key.default;
  if (text === undefined && key.default === undefined) {
    problems.push(problem(`Missing required configuration "${key.name}" which has no default value.`));
  } else if (text !== undefined) {
    const parsed = parse(key.type, text.trim());
    if (typeof parsed === 'object' && parsed !== null && 'reason' in parsed) {
      problems.push(problem(`Invalid value ${text} for configuration ${key.name}: ${parsed.reason}`));
      value = null;
    } else value = parsed;
  }
  const reason = key.validator?.(value, config) ?? null;
  const shown = key.type === 'PASSWORD' && value !== null ? '[hidden]' : String(value);
  if (reason !== null) problems.push(problem(`Invalid value ${shown} for configuration ${key.name}: ${reason}`));
  return problems;
}

function parse(type: ConfigType, text: string): ParsedValue | { reason: string } {
  switch (type) {
    case 'BOOLEAN':
      return /^(true|false)$/i.test(text)
        ? text.toLowerCase() === 'true'
        : { reason: 'Expected value to be either true or false' };
    case 'INT':
    case 'SHORT':
    case 'LONG':
      return /^[+-]?\d+$/.test(text) ? Number(text) : { reason: `Not a number of type ${type}` };
    case 'DOUBLE':
      return text !== '' && !Number.isNaN(Number(text)) ? Number(text) : { reason: 'Not a number of type DOUBLE' };
    case 'LIST':
      return text === '' ? [] : text.split(',').map((entry) => entry.trim());
    default:
      return text;
  }
}
