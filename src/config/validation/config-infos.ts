/** The response of `PUT /connector-plugins/{plugin}/config/validate`, connect-rest §3.1 to §3.3. */
import type { ConfigType, ConfigWarning, Importance, Width } from '@millrace/sdk';
import type { JsonSchema } from '../schema/key-schema';

export interface ConfigDefinitionInfo {
  readonly name: string;
  readonly type: ConfigType;
  readonly required: boolean;
  readonly default_value: string | null;
  readonly importance: Importance;
  readonly documentation: string;
  readonly group: string | null;
  readonly order_in_group: number;
  readonly width: Width;
  readonly display_name: string;
  readonly dependents: readonly string[];
  /** On request only: clients of Java's workers may refuse what they do not know. */
  readonly hints?: KeyHints;
}
/** What a form needs beyond Java's definition of a key. Absent members: nothing to know. */
export interface KeyHints {
  /** The only values, blanks and case aside. */
  readonly valid_values?: readonly string[];
  /** The key is required unless one of these is set. */
  readonly required_unless?: readonly string[];
  readonly alias_of?: string;
  readonly deprecated?: boolean;
  readonly without_effect?: boolean;
  /** Whether the key is important for users, if not as its importance says. */
  readonly prominent?: boolean;
}
export interface ConfigValueInfo {
  readonly name: string;
  readonly value: string | null;
  readonly recommended_values: readonly string[];
  readonly errors: readonly string[];
  readonly visible: boolean;
}
export interface ConfigInfos {
  readonly name: string;
  readonly error_count: number;
  readonly groups: readonly string[];
  readonly configs: readonly {
    readonly definition: ConfigDefinitionInfo | null;
    readonly value: ConfigValueInfo | null;
  }[];
  /** Absent when there are none, so that such an answer is exactly Java's. Not counted as errors. */
  readonly warnings?: readonly ConfigWarning[];
}

/**
 * `keys`: only what needs no connection, file or plugin code beyond the checks of keys. Placeholders of config
 * providers are not replaced, and keys that have some are not checked.
 */
export type Checks = 'all' | 'keys';

export interface ConfigValidator {
  /**
   * Throws ValidationError (`status`, `message`) for a missing or unknown class. Values may be null (connect-rest
   * §3.7). (Default of `checks`: all; of `withHints`: false)
   */
  validate(config: Readonly<Record<string, string | null>>, checks?: Checks, withHints?: boolean): Promise<ConfigInfos>;
  /**
   * `GET /connector-plugins/{plugin}/config`. `version`: a Maven version or range. (Default: any; of `withHints`:
   * false)
   */
  definitions(plugin: string, version?: string | null, withHints?: boolean): Promise<readonly ConfigDefinitionInfo[]>;
  /** JSON Schema of a connector's documents, or of another plugin's settings, from the same definitions. */
  schema(plugin: string, version?: string | null): Promise<JsonSchema>;
}

/** The text of a 400 on create, update and patch. Null when the config is valid. Source: connect-rest §2.3. */
export function validationFailure(infos: ConfigInfos): string | null {
  if (infos.error_count === 0) return null;
  return [
    `Connector configuration is invalid and contains the following ${infos.error_count} error(s):`,
    ...infos.configs.flatMap((entry) => entry.value?.errors ?? []),
    'You can also find the above list of errors at the endpoint `/connector-plugins/{connectorType}/config/validate`',
  ].join('\n');
}
