import { KEY } from './keys';
import type { Settings } from './settings';

export type OffsetMismatchStrategy = 'no_validation' | 'trust_offset' | 'trust_slot' | 'trust_greater_lsn';

/** `offset.mismatch.strategy`, or what its older name says. */
export function offsetMismatchStrategy(settings: Settings): OffsetMismatchStrategy {
  const isSought = settings.flag(KEY.internalSlotSeekToKnownOffsetOnStart);
  if (settings.given(KEY.offsetMismatchStrategy) === null && isSought) return 'trust_offset';
  return settings.choice(KEY.offsetMismatchStrategy);
}
