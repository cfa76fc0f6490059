/** A source of values for `${name:path:key}` in configs. Source: connect-runtime §8. */
export interface ConfigProvider {
  /**
   * Values of the `keys` that exist at `path`, which is empty when the placeholder has none. Throws ConfigError when
   * the source cannot be read. Values must never be logged.
   * @param expires called with the time to live of the values, if they have one
   */
  get(path: string, keys: ReadonlySet<string>, expires: Expires): Promise<ReadonlyMap<string, string>>;
}

/** Receives the time to live of each provider whose values were used. Milliseconds. */
export type Expires = (ttlMs: number) => void;

/** Receives a message when values are deliberately not returned. */
export type ProviderWarning = (message: string) => void;

/** Of a file with values. The limit of a JAAS file, too. */
export const MAX_FILE_BYTES = 4 * 1024 * 1024;
