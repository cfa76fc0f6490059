/** Records that failed where their task transforms and converts them: see `ProcessingFailure` of the SDK. */
import type { ProcessingFailure } from '@millrace/sdk';
import { readableError } from '../readable-error';
import type { ErrorPolicy, Operation } from './error-policy';

/**
 * What the task has made of the record at last; null: it is skipped. A retry processes the record from its first step
 * on, so it may fail at another one, which then has retries of its own. Throws when the task must fail.
 * @param failureOf of a result; null: it is none
 */
export async function recoverProcessing<R>(
  first: ProcessingFailure<R>,
  policy: ErrorPolicy,
  failureOf: (result: R) => ProcessingFailure<R> | null,
  origin: Pick<Operation<never>, 'source' | 'consumed'>,
): Promise<{ readonly result: R } | null> {
  for (let failure = first; ;) {
    const { stage, className } = failure;
    const run = async (): Promise<R> => {
      const result = await failure.retry();
      const again = failureOf(result);
      if (again?.stage === stage && again.className === className) throw readableError(again.error);
      return result;
    };
    const recovered = await policy.recover({ stage, className, run, ...origin }, readableError(failure.error));
    if (recovered === null) return null;
    const next = failureOf(recovered.value);
    if (next === null) return { result: recovered.value };
    failure = next;
  }
}
