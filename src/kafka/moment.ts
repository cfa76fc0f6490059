import type { Moment } from './port';

export function momentNow(): Moment {
  return { monotonic: performance.now(), wall: Date.now() };
}
