/** Connections to the Java host: one for each session. Works in every thread. */
import { connect, type Socket } from 'node:net';
import { ConnectError, messageOf } from '@millrace/sdk';
import type { HostMap, HostValue } from '../wire/host-value';
import type { HostSession } from './host-session';
import { SocketSession, type EndCause } from './socket-session';

export interface ConnectOptions {
  /** Asked once when the connection has ended unexpectedly: why, or null if it is not known. */
  readonly cause?: EndCause;
  /** Ends the connection, and with it what is opened in the host, as long as it is being opened: a plugin may hang. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Connects and opens the session. Rejects with the host's error, or ConnectError `JVM_UNREACHABLE`, `JVM_ENDED`.
 * @param session the argument of `open`
 */
export async function connectHost(
  socketPath: string,
  session: HostMap,
  options: ConnectOptions = {},
): Promise<HostSession> {
  const { cause, signal } = options;
  const opening = new SocketSession(await connected(socketPath), cause);
  const abort = (): void => opening.close();
  if (signal?.aborted === true) abort();
  signal?.addEventListener('abort', abort, { once: true });
  try {
    const opened = await opening.open(session);
    if (!isMap(opened)) throw new ConnectError('The Java host opened a session without telling about it.');
    opening.opened = opened;
    return opening;
  } catch (error) {
    opening.close();
    throw error;
  } finally {
    signal?.removeEventListener('abort', abort);
  }
}

function connected(path: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ path });
    const onError = (error: Error): void =>
      reject(
        new ConnectError(`The JVM of this plugin cannot be reached: ${messageOf(error)}.`, {
          code: 'JVM_UNREACHABLE',
          cause: error,
          restartable: true,
        }),
      );
    socket.once('error', onError);
    socket.once('connect', () => {
      socket.off('error', onError);
      resolve(socket);
    });
  });
}

function isMap(value: HostValue): value is HostMap {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && Object.getPrototypeOf(value) === null;
}
