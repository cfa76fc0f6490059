/**
 * Retries a transformation that failed, that step alone, then continues with the rest of the chain. Source:
 * connect-runtime §4.6, §7.1.
 */
import type { ConnectRecord } from '@millrace/sdk';
import { StepFailure, type TransformationChain } from '../../transforms/chain';
import type { ErrorPolicy, Operation } from './error-policy';

/**
 * The transformed record; null: filtered, or skipped because of the failure. Throws when the task must fail.
 */
export async function recoverTransformation<R extends ConnectRecord>(
  chain: TransformationChain,
  policy: ErrorPolicy,
  error: unknown,
  origin: Pick<Operation<never>, 'source' | 'consumed'>,
): Promise<R | null> {
  let failure = error;
  while (failure instanceof StepFailure) {
    const { step, record, cause } = failure;
    const recovered = await policy.recover(
      {
        stage: 'TRANSFORMATION',
        className: chain.classOf(step),
        run: () => chain.applyStep(record as R, step),
        ...origin,
      },
      cause,
    );
    if (recovered === null || recovered.value === null) return null;
    try {
      return chain.apply(recovered.value, step + 1);
    } catch (next) {
      failure = next;
    }
  }
  throw failure;
}
