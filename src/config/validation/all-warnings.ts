/** The warnings of a validation: about keys that are likely typing errors, that have no effect, or an old name. */
import { checkWarnings, type ConfigWarning, type Connector, type ConnectorConfig } from '@millrace/sdk';
import { connectorDifferences } from '../differences/connector-differences';
import { differenceText } from '../differences/difference';
import { reportStep } from './validation-step';

const MAX_WARNINGS = 200;

/**
 * The first one of each key.
 * @param unknown of keys that nothing knows
 * @param ineffective of keys that the plugin defines as such
 */
export function allWarnings(
  unknown: readonly ConfigWarning[],
  connector: Connector,
  className: string,
  config: ConnectorConfig,
  ineffective: readonly ConfigWarning[],
): readonly ConfigWarning[] {
  const found = new Map<string, ConfigWarning>();
  for (const warning of [
    ...unknown,
    ...withoutEffect(config),
    ...warningsOf(connector, className, config),
    ...ineffective,
  ])
    if (!found.has(warning.key)) found.set(warning.key, warning);
  return [...found.values()].slice(0, MAX_WARNINGS);
}

/** Settings that have an effect in Java only. */
function withoutEffect(config: ConnectorConfig): readonly ConfigWarning[] {
  return connectorDifferences(config)
    .filter(({ kind }) => kind === 'ignored')
    .map((difference) => ({ key: difference.key, message: differenceText(difference), meant: null }));
}

function warningsOf(connector: Connector, className: string, config: ConnectorConfig): readonly ConfigWarning[] {
  if (!connector.warnings) return [];
  reportStep(`the call of warnings() in ${className}`);
  return checkWarnings(connector.warnings(config), className);
}
