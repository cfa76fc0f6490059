/** Ends the wait for an answer that a worker cannot give, for example because its Kafka is away. */
import { ConnectError, settledWithin } from '@millrace/sdk';

/** Between two questions for the worker's health. ms */
const PATIENCE_MS = 3_000;
const LATE = Symbol('late');

/**
 * @param health why the worker is unhealthy; null: it is not, or does not say
 * @param request for the error, e.g. `GET /connectors`
 * @throws ConnectError `REST_WORKER_UNHEALTHY`; what `answer` rejects with
 */
export async function untilUnhealthy<T>(
  answer: Promise<T>,
  health: () => Promise<string | null>,
  request: string,
): Promise<T> {
  for (;;) {
    const found = await settledWithin(answer, PATIENCE_MS, LATE);
    if (found !== LATE) return found as T;
    const problem = await settledWithin(health(), PATIENCE_MS, null);
    if (problem === null) continue;
    const done = request.startsWith('GET ') ? '' : ' It may be carried out nevertheless: check before you repeat it.';
    throw new ConnectError(`No answer to ${request}, because the worker is unhealthy: ${problem}${done}`, {
      code: 'REST_WORKER_UNHEALTHY',
    });
  }
}
