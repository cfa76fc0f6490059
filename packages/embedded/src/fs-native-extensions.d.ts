/** What is used of a package without types. */
declare module 'fs-native-extensions' {
  /**
   * Locks the open file for this descriptor until it is closed, by the death of the process too. False: another one has
   * it.
   */
  export function tryLock(fd: number): boolean;
}
