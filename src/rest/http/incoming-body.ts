/** Receives a request body within its size and time limits. Its memory grows with the bytes received. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { startTimer } from '@millrace/sdk';
import { tooLarge, type BodyBudget } from './body-budget';
import { RestError } from './rest-error';

const FIRST_BYTES = 4096;

export interface IncomingBody {
  readonly maxBytes: number;
  readonly maxSignedBytes: number;
  /** Reads the whole body. Throws RestError 408, 413, 503, and 400 when the client disconnects. */
  read(limit?: number): Promise<Buffer>;
  /** Must be called when the handler no longer needs the body. */
  release(): void;
}

/**
 * Its part of the budget is released when the response is closed and the handler has ended, because a handler continues
 * after its client disconnects, and what it parsed takes more memory than the body.
 *
 * @param caller whose share of the budget it takes
 */
export function incomingBody(
  request: IncomingMessage,
  response: ServerResponse,
  budget: BodyBudget,
  caller: string,
): IncomingBody {
  const { maxBytes, maxSignedBytes } = budget;
  let reserved = 0;
  let users = 2;
  const release = (): void => {
    if (--users === 0) budget.release(caller, reserved);
  };
  onceClosed(response, request.socket, release);
  return {
    release,
    maxBytes,
    maxSignedBytes,
    read: async (limit = maxBytes) => {
      try {
        const declared = Number(request.headers['content-length'] ?? 0);
        if (declared > limit) throw tooLarge(limit);
        // Only received bytes are reserved, so that a client that declares a large body cannot block others.
        budget.requireRoom(caller, declared);
        return await received(request, limit, budget.deadlineMs, (bytes) => {
          budget.reserve(caller, bytes, reserved);
          reserved += bytes;
        });
      } catch (error) {
        // Closing now would reset the connection of a client that is still sending, before it reads the response.
        // `limitUnreadBody` closes it later.
        if (!request.complete) keepOpenUntilRead(request, response);
        throw error;
      }
    },
  };
}

/** Callbacks of the responses of each connection, for when it closes. */
const unanswered = new WeakMap<Socket, Set<() => void>>();

/** A pipelined response that waits for an earlier one emits no event when the connection closes. */
function onceClosed(response: ServerResponse, socket: Socket, then: () => void): void {
  let waiting = unanswered.get(socket);
  if (!waiting) {
    const all = (waiting = new Set<() => void>());
    unanswered.set(socket, all);
    socket.once('close', () => all.forEach((closed) => closed()));
  }
  const closed = (): void => {
    if (waiting.delete(closed)) then();
  };
  waiting.add(closed);
  response.once('close', closed);
  if (socket.closed) closed();
}

/** Keeps a connection open until the body is read, even if the client requested to close it after the response. */
function keepOpenUntilRead(request: IncomingMessage, response: ServerResponse): void {
  const { shouldKeepAlive } = response;
  response.shouldKeepAlive = true;
  if (shouldKeepAlive) return;
  const endSocket = (): void => void request.socket.end();
  request.once('end', () => (response.writableFinished ? endSocket() : response.once('finish', endSocket)));
}

/** Uses a single buffer: one per chunk would take hundreds of times the memory if chunks are single bytes. */
async function received(
  request: IncomingMessage,
  limit: number,
  deadlineMs: number,
  reserve: (bytes: number) => void,
): Promise<Buffer> {
  return await new Promise((resolve, reject) => {
    let bytes = Buffer.allocUnsafe(FIRST_BYTES);
    let size = 0;
    const fail = (error: unknown): void => {
      end();
      // Discards the rest of the body.
      request.on('error', () => undefined).resume();
      reject(error);
    };
    const onData = (chunk: Buffer): void => {
      try {
        if (size + chunk.length > limit) throw tooLarge(limit);
        reserve(chunk.length);
      } catch (error) {
        fail(error);
        return;
      }
      if (size + chunk.length > bytes.length) {
        const larger = Buffer.allocUnsafe(Math.min(limit, Math.max(2 * bytes.length, size + chunk.length)));
        bytes.copy(larger, 0, 0, size);
        bytes = larger;
      }
      chunk.copy(bytes, size);
      size += chunk.length;
    };
    const onEnd = (): void => {
      end();
      resolve(bytes.subarray(0, size));
    };
    const onAborted = (cause?: unknown): void =>
      fail(new RestError(400, 'The request ended before its body was complete', { cause }));
    const late = startTimer(
      () => fail(new RestError(408, `The request body was not complete within ${deadlineMs} ms`)),
      deadlineMs,
    );
    const end = (): void => {
      clearTimeout(late);
      request.off('data', onData).off('end', onEnd).off('error', onAborted).off('close', onAborted);
    };
    request.on('data', onData).on('end', onEnd).on('error', onAborted).on('close', onAborted);
  });
}
