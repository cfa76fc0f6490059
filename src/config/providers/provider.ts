/** A source of values for `${name:path:key}` in configurations. Source: connect-runtime §8. */
export interface ConfigProvider {
  /** How long its values are good, milliseconds; absent: for ever. */
  readonly ttlMs?: number;
  /**
   * Values of those of `keys` that exist under `path` (empty when the placeholder has none). Throws ConfigError when
   * the source cannot be read. Values are never logged.
   */
  get(path: string, keys: ReadonlySet<string>): Promise<ReadonlyMap<string, string>>;
}

/** Told about requests that are answered with nothing on purpose. */
export type ProviderWarning = (message: string) => void;
