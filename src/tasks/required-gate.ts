import { ConnectError } from '@millrace/sdk';
import type { ExactlyOnceGate } from './host';

/** @throws ConnectError EXACTLY_ONCE_UNSUPPORTED */
export function requiredGate(gate: ExactlyOnceGate | undefined): ExactlyOnceGate {
  if (gate) return gate;
  throw new ConnectError('This worker runs no exactly-once tasks: set exactly.once.source.support=enabled.', {
    code: 'EXACTLY_ONCE_UNSUPPORTED',
  });
}
