/** Changes the offsets of a connector: stops it first if it is not stopped, and resumes it if that was asked for. */
import type { ConnectorDetails } from '../../worker-api';
import { resumeConnector, retried, stopConnector } from '../../api/connect';
import { request, RequestError } from '../../api/request';
import { connectPath, loadDetails } from './use-connector';

export interface OffsetsChange {
  readonly name: string;
  /** Null: all offsets are removed. */
  readonly patch: string | null;
  readonly resumesAfter: boolean;
}

const PAUSE_MS = 500;
const LONGEST_WAIT_MS = 60_000;

/**
 * @param report what happens now
 * @returns the worker's answer
 * @throws Error whose message says whether the offsets were changed
 */
export async function changeOffsets(change: OffsetsChange, report: (step: string) => void): Promise<string> {
  const { name, patch, resumesAfter } = change;
  if (!isStopped(await loadDetails(name))) {
    report('Stopping the connector…');
    await retried(() => stopConnector(name));
    await until(
      async () => isStopped(await loadDetails(name)),
      'The connector has not stopped; its offsets are unchanged.',
    );
  }
  report('Changing the offsets…');
  const message = await repeatWhileLeaving(() =>
    request<{ readonly message: string }>(connectPath(name, '/offsets'), {
      method: patch === null ? 'DELETE' : 'PATCH',
      ...(patch === null ? {} : { json: patch }),
    }),
  );
  if (!resumesAfter) return message;
  report('Resuming the connector…');
  try {
    await retried(() => resumeConnector(name));
  } catch (error) {
    throw new Error(`The offsets are changed, but the connector is not resumed: ${(error as Error).message}`, {
      cause: error,
    });
  }
  return message;
}

function isStopped({ row }: ConnectorDetails): boolean {
  return row.state === 'STOPPED' && row.target === 'STOPPED' && row.tasks.length === 0;
}

/** Tasks of a sink may still be leaving their group; workers say that the request can be repeated then. */
async function repeatWhileLeaving(change: () => Promise<{ readonly message: string }>): Promise<string> {
  const deadline = performance.now() + LONGEST_WAIT_MS;
  for (;;) {
    try {
      return (await retried(change)).message;
    } catch (error) {
      const passes = error instanceof RequestError && error.message.includes('can be safely retried');
      if (!passes || performance.now() > deadline) throw error;
    }
    await pause();
  }
}

async function until(condition: () => Promise<boolean>, failure: string): Promise<void> {
  const deadline = performance.now() + LONGEST_WAIT_MS;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(failure);
    await pause();
  }
}

async function pause(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
}
