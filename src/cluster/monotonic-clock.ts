/**
 * Milliseconds since some moment, never set back or forward: for every wait and deadline. The wall clock may jump, and
 * a leader that waited by it for a lost worker would leave that one's work lying for as long as it was set back.
 */
export const monotonicNow = (): number => performance.now();
