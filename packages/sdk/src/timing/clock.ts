/**
 * Milliseconds since an arbitrary point in time, never set back or forward. Measure waits and deadlines with it: the
 * wall clock may jump, and a deadline measured by it may then come late or never.
 */
export const monotonicNow = (): number => performance.now();
