/** Reads connector documents from files, folders and standard input. */
import { resolve } from 'node:path';
import { fileStream } from '../../config/file-stream';
import type { CliIo } from '../io';
import { invalidDocuments, LARGEST_FILE, MOST_DOCUMENTS, type ConnectorDocument } from './connector-document';
import { findFiles, STDIN } from './find-files';
import { parseText } from './parse-text';
import { toDocuments } from './to-documents';

export interface DocumentSources {
  /** Files, folders, and `-` for standard input. */
  readonly paths: readonly string[];
  /** Also reads the subfolders of folders. (Default: false) */
  readonly isRecursive?: boolean;
  /** Ends the reading of files that are pipes. */
  readonly signal?: AbortSignal;
}

/**
 * The connectors in the order of the files. All problems are reported at once.
 * @throws ConnectError `CLI_DOCUMENT_INVALID`
 */
export async function readDocuments(
  { paths, isRecursive = false, signal }: DocumentSources,
  io: Pick<CliIo, 'stdin' | 'env' | 'cwd'>,
): Promise<readonly ConnectorDocument[]> {
  const documents: ConnectorDocument[] = [];
  const problems: string[] = [];
  for (const file of findFiles(paths, io.cwd, isRecursive)) {
    const shown = file === STDIN ? 'standard input' : file;
    try {
      const found = toDocuments(shown, parseText(file, await textOf(file, io, signal)), io.env);
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
  if (problems.length > 0) throw invalidDocuments(problems);
  return documents;
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
