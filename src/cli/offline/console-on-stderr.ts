/** For commands that run plugins in their own process: what those print must not mix with the answer on stdout. */
export function consoleOnStderr(): void {
  const print = console.error.bind(console);
  console.log = console.info = console.debug = print;
}
