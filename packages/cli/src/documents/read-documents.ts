/** Reads connector documents from files, folders and standard input. */
import { readdirSync, statSync } from 'node:fs';
import { basename, extname, join, resolve } from 'node:path';
import { fileStream } from '@millrace/texts/file-stream';
import { parseProperties } from '@millrace/texts/properties';
import type { CliIo } from '../io';
import {
  type ConnectorDocument,
  invalidDocuments,
  LARGEST_FILE,
  MOST_DOCUMENTS,
  MOST_FILES,
} from './connector-document';
import type * as Yaml from './parse-yaml';
import { type Parsed, toDocuments } from './to-documents';

export interface DocumentSources {
  /** Files, folders, and `-` for standard input. */
  readonly paths: readonly string[];
  /** Also reads the subfolders of folders. (Default: false) */
  readonly isRecursive?: boolean;
  /** Whether a flat config without a name has that of its file. (Default: it is an error) */
  readonly isNameOptional?: boolean;
  /** Ends the reading of files that are pipes. */
  readonly signal?: AbortSignal;
}

/**
 * The connectors in the order of the files. All problems are reported at once.
 * @throws ConnectError `CLI_DOCUMENT_INVALID`
 */
export async function readDocuments(
  sources: DocumentSources,
  io: Pick<CliIo, 'stdin' | 'env' | 'cwd'>,
): Promise<readonly ConnectorDocument[]> {
  const { documents, problems } = await readUsableDocuments(sources, io);
  if (problems.length > 0) throw invalidDocuments(problems);
  return documents;
}

/**
 * The same; what cannot be used is a problem, a sentence that begins with its place.
 * @throws ConnectError `CLI_DOCUMENT_INVALID` for a path that does not exist, or too many files or connectors
 */
export async function readUsableDocuments(
  { paths, isRecursive = false, isNameOptional = false, signal }: DocumentSources,
  io: Pick<CliIo, 'stdin' | 'env' | 'cwd'>,
): Promise<Parsed> {
  const documents: ConnectorDocument[] = [];
  const problems: string[] = [];
  for (const file of findFiles(paths, io.cwd, isRecursive)) {
    const shown = file === STDIN ? 'standard input' : file;
    try {
      const unnamed = isNameOptional ? basename(file, extname(file)) : undefined;
      const found = toDocuments(shown, parseText(file, await textOf(file, io, signal)), io.env, unnamed);
      documents.push(...found.documents);
      problems.push(...found.problems);
    } catch (error) {
      problems.push(`${shown}: ${(error as Error).message}.`);
    }
    if (documents.length > MOST_DOCUMENTS)
      throw invalidDocuments([`There are more than ${MOST_DOCUMENTS} connectors.`]);
  }
  const places = new Map<string, string>();
  for (const { name, place } of documents) {
    const other = places.get(name);
    if (other === undefined) places.set(name, place);
    else problems.push(`${place}: there is a connector "${name}" in ${other}, too.`);
  }
  return { documents, problems };
}

/** The size of a pipe or device is not known before it is read. */
async function textOf(file: string, io: Pick<CliIo, 'stdin' | 'cwd'>, signal?: AbortSignal): Promise<string> {
  const parts: Buffer[] = [];
  let size = 0;
  const stream = file === STDIN ? io.stdin : fileStream(resolve(io.cwd, file), signal);
  for await (const part of stream as AsyncIterable<Buffer | string>) {
    const bytes = Buffer.from(part);
    size += bytes.length;
    if (size > LARGEST_FILE) throw tooLarge();
    parts.push(bytes);
  }
  return Buffer.concat(parts).toString();
}

function tooLarge(): Error {
  return new Error(`it is larger than ${LARGEST_FILE} bytes`);
}

const STDIN = '-';
const DEEPEST = 16;

/**
 * Files as they are; of folders the JSON, YAML and properties files, ordered by name, without hidden ones.
 * @returns paths as the command line names them
 * @throws ConnectError `CLI_DOCUMENT_INVALID`
 */
function findFiles(paths: readonly string[], cwd: string, isRecursive: boolean): readonly string[] {
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

type Format = 'yaml' | 'properties';

/** JSON is a part of YAML. */
const FORMATS: Readonly<Record<string, Format>> = {
  '.json': 'yaml',
  '.yaml': 'yaml',
  '.yml': 'yaml',
  '.properties': 'properties',
};

function isDocumentFile(path: string): boolean {
  return Object.hasOwn(FORMATS, extname(path).toLowerCase());
}

/**
 * The documents of a file. The extension names the format; otherwise, and for standard input, the first line does.
 * @throws Error with a reason and the line
 */
function parseText(file: string, text: string): unknown[] {
  const format = FORMATS[extname(file).toLowerCase()] ?? formatOf(text);
  if (format === 'properties') return [parseProperties(text)];
  // The YAML library takes 20 ms to load, so that help texts do not wait for it.
  // eslint-disable-next-line @typescript-eslint/no-require-imports
  const { parseYaml } = require('./parse-yaml') as typeof Yaml;
  return parseYaml(text.replace(/^\uFEFF/, ''));
}

function formatOf(text: string): Format {
  for (const line of text.split(/\r?\n/)) {
    const content = line.trim();
    if (content === '' || content.startsWith('#')) continue;
    return /^[^\s:=[{"'-][^\s:=]*\s*=/.test(content) ? 'properties' : 'yaml';
  }
  return 'yaml';
}
