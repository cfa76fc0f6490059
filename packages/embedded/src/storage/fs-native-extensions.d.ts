/** The used part of a package that has no types. */
declare module 'fs-native-extensions' {
  /**
   * Locks the open file until the descriptor is closed or the process dies. False: another descriptor has the lock.
   */
  export function tryLock(fd: number): boolean;
}
