import { ConnectError, RetriableError } from '@millrace/sdk';

/** The error of a stream that cannot continue, but that a restart of the task cures: the worker restarts it. */
export function curedByRestart({ message, code, place }: ConnectError): ConnectError {
  return new ConnectError(message, { code, place, cause: new RetriableError(message, { code, place }) });
}
