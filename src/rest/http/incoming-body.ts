/** Receives the body of one request: within its limits, into memory that grows with what has come, and in time. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { startTimer } from '@millrace/sdk';
import { tooLarge, type BodyBudget } from './body-budget';
import { RestError } from './rest-error';

const FIRST_BYTES = 4096;

export interface IncomingBody {
  readonly maxBytes: number;
  readonly maxSignedBytes: number;
  /** All of it. Throws RestError 408, 413, 503, and 400 when the client goes away. */
  read(limit?: number): Promise<Buffer>;
  /** Whoever has read it needs it no more. */
  finished(): void;
}

/**
 * What it takes of the budget is given back when it is answered and nobody works on it any more: a client that goes
 * away ends the work no sooner.
 */
export function incomingBody(request: IncomingMessage, response: ServerResponse, budget: BodyBudget): IncomingBody {
  const { maxBytes, maxSignedBytes } = budget;
  let taken = 0;
  let holders = 2;
  const finished = (): void => {
    if (--holders === 0) budget.give(taken);
  };
  onceOver(response, request.socket, finished);
  return {
    finished,
    maxBytes,
    maxSignedBytes,
    read: async (limit = maxBytes) => {
      try {
        const declared = Number(request.headers['content-length'] ?? 0);
        if (declared > limit) throw tooLarge(limit);
        // Only what has come is counted: who declares much and sends nothing keeps nobody else out.
        budget.requireRoom(declared);
        return await received(request, limit, budget.deadlineMs, (bytes) => {
          budget.take(bytes);
          taken += bytes;
        });
      } catch (error) {
        // A client that is still sending would meet a reset before it reads the answer; `cutOffRest` ends it later.
        if (!request.complete) keepUntilRead(request, response);
        throw error;
      }
    },
  };
}

/** By connection: what is to be done for its answers when it closes. */
const unanswered = new WeakMap<Socket, Set<() => void>>();

/** An answer that waits behind another on its connection does not hear of the connection's end. */
function onceOver(response: ServerResponse, socket: Socket, then: () => void): void {
  let waiting = unanswered.get(socket);
  if (!waiting) {
    const all = (waiting = new Set<() => void>());
    unanswered.set(socket, all);
    socket.once('close', () => all.forEach((over) => over()));
  }
  const over = (): void => {
    if (waiting.delete(over)) then();
  };
  waiting.add(over);
  response.once('close', over);
  if (socket.closed) over();
}

/** A client that wanted the connection closed behind the answer has it closed behind its body. */
function keepUntilRead(request: IncomingMessage, response: ServerResponse): void {
  const { shouldKeepAlive } = response;
  response.shouldKeepAlive = true;
  if (shouldKeepAlive) return;
  const hangUp = (): void => void request.socket.end();
  request.once('end', () => (response.writableFinished ? hangUp() : response.once('finish', hangUp)));
}

/** One buffer, not one for each chunk: those of a byte would take hundreds of times what they carry. */
async function received(
  request: IncomingMessage,
  limit: number,
  deadlineMs: number,
  take: (bytes: number) => void,
): Promise<Buffer> {
  return await new Promise((resolve, reject) => {
    let bytes = Buffer.allocUnsafe(FIRST_BYTES);
    let size = 0;
    const fail = (error: unknown): void => {
      end();
      // What still comes is thrown away.
      request.on('error', () => undefined).resume();
      reject(error);
    };
    const onData = (chunk: Buffer): void => {
      try {
        if (size + chunk.length > limit) throw tooLarge(limit);
        take(chunk.length);
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
    const onGone = (cause?: unknown): void =>
      fail(new RestError(400, 'The request ended before its body was complete', { cause }));
    const late = startTimer(
      () => fail(new RestError(408, `The request body was not complete within ${deadlineMs} ms`)),
      deadlineMs,
    );
    const end = (): void => {
      clearTimeout(late);
      request.off('data', onData).off('end', onEnd).off('error', onGone).off('close', onGone);
    };
    request.on('data', onData).on('end', onEnd).on('error', onGone).on('close', onGone);
  });
}
