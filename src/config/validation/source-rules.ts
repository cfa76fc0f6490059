/**
 * Guarantees of a source that the worker and the connector must support: running without them would break what was
 * requested. Source: connect-rest §3.5.
 */
import { messageOf, type ConnectorConfig, type SourceConnector } from '@millrace/sdk';
import type { Logger } from '../../logging/logger';
import { valueOf, withoutNulls, type Entry, type NullableConfig } from './entry';
import { ValidationError } from './validation-error';

/** Of a message that a connector throws. Characters. */
const THROWN_LIMIT = 32_768;

export interface SourcePromises {
  readonly connector: Pick<SourceConnector, 'exactlyOnceSupport' | 'canDefineTransactionBoundaries'>;
  /** `exactly.once.source.support` of this worker. */
  readonly isEnabled: boolean;
  /** Calls a method of the connector; rejects with ValidationError when it takes too long. */
  readonly call: (method: string, run: () => unknown) => Promise<unknown>;
  readonly logger: Pick<Logger, 'error'>;
  /** Hides what config providers have for the config in an error that the connector throws. */
  readonly hidden: (error: unknown) => unknown;
}

/** Adds messages to the entries of `exactly.once.support` and `transaction.boundary`. */
export async function checkSourcePromises(
  entries: ReadonlyMap<string, Entry>,
  config: NullableConfig,
  promises: SourcePromises,
): Promise<void> {
  const checks = [
    ['exactly.once.support', 'required', 'exactly-once semantics', supportProblem],
    ['transaction.boundary', 'connector', 'defining its own transaction boundaries', boundaryProblem],
  ] as const;
  for (const [key, value, what, problem] of checks) {
    const entry = entries.get(key);
    if (!entry || entry.errors.length > 0 || (valueOf(config, key) ?? '').trim().toLowerCase() !== value) continue;
    if (key === 'exactly.once.support' && !promises.isEnabled)
      entry.errors.push('This worker does not have exactly-once source support enabled.');
    try {
      const found = await problem(promises, withoutNulls(config));
      if (found !== null) entry.errors.push(found);
    } catch (error) {
      if (error instanceof ValidationError) throw error;
      promises.logger.error(`Failed while validating connector support for ${what}`, { error: promises.hidden(error) });
      entry.errors.push(unexpected(error));
    }
  }
}

async function supportProblem({ connector, call }: SourcePromises, config: ConnectorConfig): Promise<string | null> {
  const answer = await call('exactlyOnceSupport', () => connector.exactlyOnceSupport?.(config));
  switch (answer ?? null) {
    case 'supported':
      return null;
    case 'unsupported':
      return 'The connector does not support exactly-once semantics with the provided configuration.';
    case null:
      return (
        'The connector does not implement the API required for preflight validation of exactly-once source support. ' +
        'Please consult the documentation for the connector to determine whether it supports exactly-once semantics, ' +
        'and then consider reconfiguring the connector to use the value "requested" for this property (which will ' +
        'disable this preflight check and allow the connector to be created).'
      );
    default:
      throw new Error(`Unexpected value returned from SourceConnector::exactlyOnceSupport: ${String(answer)}`);
  }
}

async function boundaryProblem({ connector, call }: SourcePromises, config: ConnectorConfig): Promise<string | null> {
  const answer = connector.canDefineTransactionBoundaries
    ? await call('canDefineTransactionBoundaries', () => connector.canDefineTransactionBoundaries?.(config))
    : 'unsupported';
  if (answer === 'supported') return null;
  return (answer ?? null) === null
    ? 'This connector has returned a null value from its canDefineTransactionBoundaries method, which is not ' +
        'permitted. The connector will be treated as if it cannot define its own transaction boundaries, and cannot be ' +
        "configured with 'transaction.boundary' set to 'connector'."
    : 'The connector does not support connector-defined transaction boundaries with the given configuration. Please ' +
        'reconfigure it to use a different transaction boundary definition.';
}

function unexpected(error: unknown): string {
  const message = messageOf(error).trim().slice(0, THROWN_LIMIT);
  // Of an error without a message, `messageOf` returns the name.
  const isMissing = error == null || message === '' || message === (error as Partial<Error>).name;
  const detail = isMissing ? '; please see the worker logs for more details.' : `: ${message}`;
  return `An unexpected error occurred during validation${detail}`;
}
