/** Decides which plugin folders have changed, and when to look. Pure. */

/** Pause after the last event before the folders are read: an editor writes several times. Milliseconds. */
const QUIET_MS = 100;
/** Longest delay after the first event, however many follow. Milliseconds. */
const LONGEST_MS = 1_000;

/** Relative path of a file → its content's hash, or another text that differs when the file does. */
type FileStates = ReadonlyMap<string, string>;
/** Real path of a plugin folder → its files. */
export type FolderStates = ReadonlyMap<string, FileStates>;

/** Files that a plugin loads as code. A plugin may write others, such as logs, into its folder. */
const CODE = /\.(?:[cm]?js|json|node|wasm|jar|zip|class)$/i;
const TYPESCRIPT = /\.[cm]?ts$/i;
const DECLARATIONS = /\.d\.[cm]?ts$/i;

/** `node_modules` and names with a leading dot. */
export function isIgnored(name: string): boolean {
  return name === 'node_modules' || name.startsWith('.');
}

/** @param typescript whether Node.js loads the plugin's TypeScript files, which are otherwise sources of its code */
export function isCode(name: string, typescript: boolean): boolean {
  return CODE.test(name) || (typescript && isTypeScript(name));
}

export function isTypeScript(name: string): boolean {
  return TYPESCRIPT.test(name) && !DECLARATIONS.test(name);
}

/** Folders that were added, removed, or have a file that was added, removed or changed. */
export function changedFolders(before: FolderStates, after: FolderStates): Set<string> {
  const folders = [...new Set([...before.keys(), ...after.keys()])];
  return new Set(folders.filter((folder) => !isSame(before.get(folder), after.get(folder))));
}

function isSame(one: FileStates | undefined, other: FileStates | undefined): boolean {
  if (one === undefined || other === undefined || one.size !== other.size) return false;
  return [...one].every(([file, state]) => other.get(file) === state);
}

/** When to read the folders. All times absolute, milliseconds. */
export function scanTime(firstEvent: number, lastEvent: number): number {
  return Math.min(lastEvent + QUIET_MS, firstEvent + LONGEST_MS);
}
