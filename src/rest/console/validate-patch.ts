/** What validation says of a connector's config with changed keys, without its secrets. */
import type { Validation } from '@millrace/console';
import type { ConnectorConfig } from '@millrace/sdk';
import { HIDDEN } from '@millrace/texts/redaction';
import { hasPlaceholder } from '../../config/providers/placeholders';
import type { NullableConfig } from '../../config/validation/entry';
import type { Caller } from '../auth/access';
import { forbidden } from '../auth/access-error';
import type { RestContext } from '../routes/context';
import { checksFor, validationProblem } from '../routes/plugins';

/** Rejects with HerderError 404, AccessError 400 for a patch with a hidden value, and 403. */
export async function validatePatch(
  { herder, secrets, validator }: Pick<RestContext, 'herder' | 'secrets' | 'validator'>,
  caller: Caller,
  name: string,
  patch: NullableConfig,
): Promise<Validation> {
  const { config } = herder().reads.record(name);
  secrets.requireNoMark(patch);
  const merged = mergedConfig(config, patch);
  const shown = await secrets.shownToAll(merged, merged['connector.class']);
  const isSecret = (key: string): boolean => shown[key] !== merged[key] || hasPlaceholder(merged[key] ?? '');
  // A patch may name another plugin, which does not define the stored secrets as such.
  const stored = await secrets.shownToAll(config, config['connector.class']);
  const hasSecrets =
    Object.keys(merged).some(isSecret) || Object.keys(config).some((key) => stored[key] !== config[key]);
  // Messages about changed keys must not depend on secrets that the caller may not see.
  if (caller.role !== 'admin' && Object.keys(patch).length > 0 && hasSecrets)
    throw forbidden(
      'A changed config with secrets or values of config providers can only be validated with the role admin',
      caller.user,
    );
  const hide = await secrets.inValidationOf(merged);
  const infos = await validator.validate(merged, checksFor(caller), true).catch((error: unknown) => {
    throw validationProblem(error);
  });
  return {
    ...infos,
    ...(infos.warnings && {
      warnings: infos.warnings.map((warning) => ({ ...warning, message: hide(warning.message) })),
    }),
    configs: infos.configs.map(({ definition, value }) => ({
      definition,
      value: value && {
        ...value,
        value: shownValue(value.name, value.value, definition?.type === 'PASSWORD', merged, shown),
        recommended_values: value.recommended_values.map(hide),
        errors: value.errors.map(hide),
      },
    })),
  };
}

function mergedConfig(config: ConnectorConfig, patch: NullableConfig): ConnectorConfig {
  const merged = Object.entries({ ...config, ...patch });
  return Object.fromEntries(merged.filter((entry): entry is [string, string] => entry[1] !== null));
}

/** Values that are not in the config are defaults. */
function shownValue(
  key: string,
  value: string | null,
  isPassword: boolean,
  merged: ConnectorConfig,
  shown: ConnectorConfig,
): string | null {
  if (value === null || value === '') return value;
  if (isPassword) return HIDDEN;
  return Object.hasOwn(merged, key) && shown[key] !== merged[key] ? (shown[key] ?? HIDDEN) : value;
}
