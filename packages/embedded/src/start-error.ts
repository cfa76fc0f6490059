/** Why a broker could not start, for programs: `code` is stable, the message one sentence for people. */
export type StartErrorCode =
  /** Another program listens there, or this one may not. */
  | 'PORT_UNAVAILABLE'
  /** A broker that is running uses the data folder. */
  | 'DATA_FOLDER_IN_USE'
  /** It cannot be made, read, written or locked, another version wrote it, or it holds something else. */
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
