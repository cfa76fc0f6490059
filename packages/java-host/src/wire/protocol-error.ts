import { ConnectError } from '@millrace/sdk';

/** The host sent what this version cannot read: the connection ends. */
export class ProtocolError extends ConnectError {
  /** @param reason a part of a sentence about the frame */
  constructor(readonly reason: string) {
    super(
      `A message of the Java host cannot be read: ${reason}. Install @millrace/java-host in the worker's version; if it is, report this as a defect.`,
      { code: 'JAVA_HOST_PROTOCOL' },
    );
  }
}
