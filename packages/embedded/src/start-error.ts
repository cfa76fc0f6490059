/** Why a broker could not start. Codes are stable. */
export type StartErrorCode =
  /** The port is in use, or listening on it is not permitted. */
  | 'PORT_UNAVAILABLE'
  /** A running broker owns the data folder. */
  | 'DATA_FOLDER_IN_USE'
  /** It cannot be created, read, written or locked, another version wrote it, or it contains other files. */
  | 'DATA_FOLDER_UNUSABLE';

export class BrokerStartError extends Error {
  override readonly name = 'BrokerStartError';

  constructor(
    readonly code: StartErrorCode,
    message: string,
    cause?: unknown,
  ) {
    super(message, { cause });
  }
}
