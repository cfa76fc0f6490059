/**
 * Calls of a task in a thread to the worker's main thread, which owns source offsets and the group membership: both
 * sides of their messages.
 */
import { ConnectError, isConnectError, isRetriable, messageOf } from '@millrace/sdk';
import type { ExactlyOnceGate, OffsetRecords, OffsetStorage, StoredOffsets, TaskSpec } from '../host';
import { requiredGate } from '../exactly-once-support';
import { taskOffsets } from '../task-offsets';
import { isWorthRestarting } from '../trace';
import type { Answer, FromThread, WorkerCall } from './task-thread-messages';

interface Waiting {
  resolve(result: unknown): void;
  reject(error: Error): void;
}

type TaskOfCall = Pick<TaskSpec, 'id' | 'exactlyOnce' | 'connectorConfig'>;

/** In the thread. */
export class WorkerCalls {
  private readonly waiting = new Map<number, Waiting>();
  private requests = 0;

  constructor(private readonly post: (message: FromThread) => void) {}

  offsets(run: number): OffsetStorage {
    return {
      read: (_connector, partitions) => this.call(run, { name: 'read', partitions }),
      write: (_connector, offsets) => this.call(run, { name: 'write', offsets }),
      encode: (_connector, offsets) => this.call<OffsetRecords>(run, { name: 'encode', offsets }),
      copy: (_connector, offsets) => this.call(run, { name: 'copy', offsets }),
    };
  }

  gate(run: number): ExactlyOnceGate {
    return {
      fence: () => this.call(run, { name: 'fence' }),
      confirm: (_id, generation) => this.call(run, { name: 'confirm', generation }),
    };
  }

  onAnswer({ request, result, error }: Answer): void {
    const waiting = this.waiting.get(request);
    this.waiting.delete(request);
    if (error === null) waiting?.resolve(result);
    else waiting?.reject(new WorkerCallError(error.message, error.code, error.retriable));
  }

  private async call<T>(run: number, call: WorkerCall): Promise<T> {
    const request = ++this.requests;
    return (await new Promise((resolve, reject) => {
      this.waiting.set(request, { resolve, reject });
      this.post({ type: 'call', run, request, call });
    })) as T;
  }
}

/** The worker's error, without its stack. */
class WorkerCallError extends ConnectError {
  constructor(
    message: string,
    code: string,
    override readonly retriable: boolean,
  ) {
    super(message, { code });
  }
}

/** In the main thread. Never rejects. */
export async function answerCall(
  call: WorkerCall,
  request: number,
  spec: TaskOfCall,
  worker: { readonly offsets: OffsetStorage; readonly gate?: ExactlyOnceGate },
): Promise<Answer> {
  try {
    return { type: 'answer', request, result: await answer(call, spec, worker), error: null };
  } catch (error) {
    const message = messageOf(error);
    if (call.name !== 'fence' && call.name !== 'confirm')
      return failedAnswer(request, {
        message,
        code: 'OFFSET_STORAGE',
        // A task whose offsets cannot be read, or be part of its transaction, fails, and a restart may help.
        retriable: call.name !== 'write' && isRetriable(error),
      });
    const code = isConnectError(error) ? error.code : 'CONNECT_ERROR';
    // The start fails, and the task does not know the error's class.
    return failedAnswer(request, { message, code, retriable: isWorthRestarting(error) });
  }
}

export function failedAnswer(request: number, error: NonNullable<Answer['error']>): Answer {
  return { type: 'answer', request, result: null, error };
}

function answer(
  call: WorkerCall,
  spec: TaskOfCall,
  { offsets, gate }: { readonly offsets: OffsetStorage; readonly gate?: ExactlyOnceGate },
): Promise<StoredOffsets | OffsetRecords | void> {
  switch (call.name) {
    case 'read':
      return taskOffsets(spec, offsets).read(call.partitions);
    case 'write':
    case 'copy':
    case 'encode':
      return taskOffsets(spec, offsets)[call.name](call.offsets);
    case 'fence':
      return requiredGate(gate).fence(spec.id.connector);
    case 'confirm':
      return requiredGate(gate).confirm(spec.id, call.generation);
  }
}
