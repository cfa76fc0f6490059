/** Validation without a worker: with the plugins of this installation, as a worker with the same settings validates. */
import type { ConnectorConfig } from '@millrace/sdk';
import type { ConfigResolver } from '../../config/providers/config-resolver';
import type { ConfigValidator } from '../../config/validation/config-infos';
import { ValidationError } from '../../config/validation/validation-error';
import { addProvidedValue } from '../../logging/provided-values';
import { HIDDEN, isSecret } from '../../logging/secrets';
import type { PluginRegistry } from '../../plugins/registry';
import { fieldErrors, type FieldErrors } from '../connectors/validate-configs';

export interface Installation {
  readonly registry: PluginRegistry;
  readonly validator: Pick<ConfigValidator, 'validate'>;
  readonly resolver: Pick<ConfigResolver, 'resolve'>;
}

const CLASS = 'connector.class';

/** None if the config is valid. Rejects if the plugin cannot be loaded or its code fails. */
export async function validateHere(
  config: ConnectorConfig,
  { registry, validator, resolver }: Installation,
): Promise<readonly FieldErrors[]> {
  hideSecrets(config);
  const { [CLASS]: className = '' } = await resolver.resolve({ [CLASS]: config[CLASS] ?? '' }, { owner: null });
  try {
    if (className !== '' && registry.find(className, ['source', 'sink']) === null)
      return [notInstalled(config, className, registry)];
    // Lines that the plugin logs meanwhile may quote the values.
    await resolver.resolve(config, { owner: null });
    return fieldErrors(await validator.validate(config));
  } catch (error) {
    if (error instanceof ValidationError) return [classError(config, error)];
    throw error;
  }
}

/** The class as it was given: a config provider may have its value. */
export function classError(config: ConnectorConfig, { message }: Error): FieldErrors {
  return { key: CLASS, value: config[CLASS] ?? null, errors: [message] };
}

/** As in a worker's log, but also for values that no config provider has. */
export function hideSecrets(config: ConnectorConfig): void {
  const entries = Object.entries(config);
  const open = new Set(entries.flatMap(([key, value]) => (isSecret(key, value) ? [] : [value])));
  for (const [key, value] of entries)
    // A value that another key shows is not a secret: hiding a user's name would hide what is wrong.
    if (isSecret(key, value) && !open.has(value)) addProvidedValue(value, HIDDEN, null);
}

function notInstalled(config: ConnectorConfig, className: string, registry: PluginRegistry): FieldErrors {
  const connectors = registry.list().filter(({ type }) => type === 'source' || type === 'sink');
  const message = `${className} is not installed here. Install its package, or name its folder with --plugin-path or with plugin.path of the worker settings.`;
  return {
    ...classError(config, new Error(message)),
    recommended: [...new Set(connectors.map((plugin) => plugin.class))],
  };
}
