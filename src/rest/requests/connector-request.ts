/** Converts a request's document to a name and a config for the herder. Source: connect-rest §1.4, §1.7, §3.7. */
import { javaTrim, type ConnectorConfig } from '@millrace/sdk';
import type { TargetState } from '../../cluster/entities';
import { valueOf, withoutNulls, type NullableConfig } from '../../config/validation/entry';
import { validationFailure, type ConfigValidator } from '../../config/validation/config-infos';
import type { PlainJson } from '../json/shape';
import { checkNameLength } from './request-path';
import { RestError } from '../http/rest-error';

export interface CreateRequest {
  readonly name: string;
  readonly config: NullableConfig;
  /** Null: not given. */
  readonly initialState: TargetState | null;
}

/** The document has passed `CREATE_REQUEST`. */
export function createRequest(document: PlainJson): CreateRequest {
  const request = document as {
    name?: string | null;
    config?: NullableConfig | null;
    initial_state?: string | null;
  } | null;
  if (request === null) {
    throw new RestError(
      500,
      'Cannot invoke "org.apache.kafka.connect.runtime.rest.entities.CreateConnectorRequest.name()" because "createRequest" is null',
    );
  }
  const name = javaTrim(request.name ?? '');
  checkNameLength(name);
  const state = request.initial_state?.toUpperCase() ?? null;
  return {
    name,
    config: withName(name, configMap(request.config ?? null)),
    initialState: state === 'RUNNING' ? 'STARTED' : (state as TargetState | null),
  };
}

/** The document has passed `CONFIG_MAP`. */
export function configMap(document: PlainJson): NullableConfig {
  if (document === null) {
    throw new RestError(500, 'Cannot invoke "java.util.Map.get(Object)" because "connectorConfig" is null');
  }
  return document as NullableConfig;
}

/**
 * The document of a patch, which has passed `CONFIG_MAP`: null removes a key. Java responds to a missing document with
 * a null pointer error.
 */
export function configPatch(document: PlainJson): NullableConfig {
  if (document === null)
    throw new RestError(400, 'A patch needs a JSON object of configuration keys; null removes a key');
  return document as NullableConfig;
}

/** `config.name` must be the connector's name, or is set to it. */
export function withName(name: string, config: NullableConfig): NullableConfig {
  const inside = valueOf(config, 'name') ?? null;
  if (inside === null) return { ...config, name };
  if (inside === name) return config;
  throw new RestError(
    400,
    `Connector name configuration (${inside}) doesn't match connector name in the URL (${name})`,
  );
}

/**
 * The herder validates configs, but does not accept null values. A config with null values is therefore validated here
 * first, so that their errors are reported.
 */
export async function withoutNullValues(config: NullableConfig, validator: ConfigValidator): Promise<ConnectorConfig> {
  if (Object.values(config).includes(null)) {
    const failure = validationFailure(await validator.validate(config));
    if (failure !== null) throw new RestError(400, failure);
  }
  return withoutNulls(config);
}
