/** Finds the files that a command line names. */
import { readdirSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { invalidDocuments, MOST_FILES } from './connector-document';
import { isDocumentFile } from './parse-text';

export const STDIN = '-';
const DEEPEST = 16;

/**
 * Files as they are; of folders the JSON, YAML and properties files, ordered by name, without hidden ones.
 * @returns paths as the command line names them
 * @throws ConnectError `CLI_DOCUMENT_INVALID`
 */
export function findFiles(paths: readonly string[], cwd: string, isRecursive: boolean): readonly string[] {
  const files: string[] = [];
  const add = (path: string): void => {
    if (files.length >= MOST_FILES) throw invalidDocuments([`There are more than ${MOST_FILES} files.`]);
    files.push(path);
  };
  const addFolder = (folder: string, depth: number): void => {
    if (depth > DEEPEST) throw invalidDocuments([`${folder}: folders are nested more than ${DEEPEST} deep.`]);
    const names = readdirSync(resolve(cwd, folder)).filter((name) => !name.startsWith('.'));
    for (const name of names.sort()) {
      const path = join(folder, name);
      const isFolder = statSync(resolve(cwd, path), { throwIfNoEntry: false })?.isDirectory();
      if (isFolder === true && isRecursive) addFolder(path, depth + 1);
      else if (isFolder === false && isDocumentFile(name)) add(path);
    }
  };
  for (const path of paths) {
    const before = files.length;
    try {
      if (path === STDIN || !statSync(resolve(cwd, path)).isDirectory()) add(path);
      else addFolder(path, 0);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).syscall === undefined) throw error;
      throw invalidDocuments([`${path}: it cannot be read: ${(error as Error).message}.`], error);
    }
    if (files.length === before)
      throw invalidDocuments([
        `${path}: there is no JSON, YAML or properties file in it${isRecursive ? '' : '; -R searches its subfolders'}.`,
      ]);
  }
  return [...new Set(files)];
}
