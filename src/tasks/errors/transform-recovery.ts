/**
 * Retries a transformation that failed, that step alone, then continues with the rest of the chain. Source:
 * connect-runtime §4.6, §7.1.
 */
import { converterCall, converterReady, type ConnectRecord } from '@millrace/sdk';
import { StepFailure, type TransformationChain } from '../../transforms/chain';
import { type ConverterWait, retriedWhenReady } from './converter-wait';
import { endsTask, type ErrorPolicy, type Operation } from './error-policy';

/**
 * The transformed record; null: filtered, or skipped because of the failure. Throws when the task must fail, and
 * RetryInterrupted when the task has something else to do.
 */
export async function recoverTransformation<R extends ConnectRecord>(
  chain: TransformationChain,
  policy: ErrorPolicy,
  wait: Pick<ConverterWait, 'until'>,
  error: unknown,
  origin: Pick<Operation<never>, 'source' | 'consumed'>,
): Promise<R | null> {
  let failure = error;
  while (failure instanceof StepFailure) {
    const { step, record, cause } = failure;
    const refusal = await untilReady(cause, wait);
    let next: R | null = record as R;
    let from = step;
    if (refusal !== null) {
      const recovered = await policy.recover(
        {
          stage: 'TRANSFORMATION',
          className: chain.classOf(step),
          run: () => retriedWhenReady(() => chain.applyStep(record as R, step), wait),
          ...origin,
        },
        refusal.reason,
      );
      next = recovered === null ? null : recovered.value;
      from = step + 1;
    }
    if (next === null) return null;
    try {
      return chain.apply(next, from);
    } catch (again) {
      failure = again;
    }
  }
  throw failure;
}

/** Null: the step had to wait, and may be applied again now. Otherwise why it fails. */
async function untilReady(
  cause: unknown,
  wait: Pick<ConverterWait, 'until'>,
): Promise<{ readonly reason: unknown } | null> {
  const ready = converterReady(cause);
  if (ready === null) return { reason: cause };
  try {
    await wait.until(ready, converterCall(cause));
    return null;
  } catch (reason) {
    if (endsTask(reason)) throw reason;
    return { reason };
  }
}
