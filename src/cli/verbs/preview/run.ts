/** `millrace preview FILE`: runs a source connector and shows the records that it would write. */
import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { type CliIo, EXIT, type Invocation } from '@millrace/cli';
import { type ConnectorDocument, readDocuments } from '@millrace/cli/connectors';
import { fail, type ShowProgress, withProgress } from '@millrace/cli/terminal';
import { ConnectError, settledWithin } from '@millrace/sdk';
import { commandConfig } from '../../worker/command-config';
import { consoleOnStderr, shownLine, stderrLogger } from '../../worker/stderr-logger';
import { previewOptions, type PreviewOptions } from './options';
import { parseOffsets, PreviewOffsets } from './preview-offsets';
import { prepareSource, type PreviewedSource, type Refused } from './previewed-source';
import { exitCode, recordPrinter, summary } from './report';
import { runTask } from './run-task';
import type { ShownRecord } from './shown-record';

const MAX_OFFSETS_BYTES = 16 * 1024 * 1024;
/** Time for a connector that is being prepared when a signal arrives, ms. */
const CLOSE_MS = 5_000;
const SHOWN_NAMES = 5;

export async function run(invocation: Invocation): Promise<number> {
  return await withProgress(invocation, runPreview);
}

async function runPreview(invocation: Invocation, show: ShowProgress): Promise<number> {
  const { io } = invocation;
  const options = previewOptions(invocation);
  consoleOnStderr();
  const document = await onlyDocument(options.file, io);
  // The error may be of a plugin.
  const report = (error: unknown): number =>
    fail({ stderr: { write: (text) => io.stderr.write(shownLine(text)) } }, error);
  const crashed = new Promise<number>((done) => io.onCrash((error) => done(report(error))));
  let signals = 0;
  let interrupt!: () => void;
  const interrupted = new Promise<void>((first) => (interrupt = first));
  const twice = new Promise<number>((second) =>
    io.onSignal(() => (++signals === 1 ? interrupt() : second(EXIT.interrupted))),
  );
  return await Promise.race([crashed, twice, preview(document, options, { io, show }, interrupted).catch(report)]);
}

async function preview(
  document: ConnectorDocument,
  options: PreviewOptions,
  { io, show }: { readonly io: CliIo; readonly show: ShowProgress },
  interrupted: Promise<void>,
): Promise<number> {
  const offsets = readOffsets(options.offsetsFile, io.cwd);
  const setup = await commandConfig(options.worker, io);
  const logger = stderrLogger(io);
  const { task, timeoutMs, count } = options;
  show(() => `Starting ${document.name}`);
  const preparing = prepareSource({ document, setup, offsets, logger, task, timeoutMs });
  const prepared = await orInterrupted(preparing, interrupted);
  if (prepared === null) return EXIT.interrupted;
  if ('problems' in prepared) return refuse(prepared, io);
  try {
    const printer = recordPrinter(options.format, io.stdout);
    let shown = 0;
    const onRecord = (record: ShownRecord): void => {
      printer.add(record);
      if (++shown < count) show(() => `${shown} of ${count} records`);
    };
    show(() => `Waiting up to ${timeoutMs / 1000} s for the first record`);
    const ran = await runTask({ ...options, prepared, setup, offsets, logger, interrupted, onRecord });
    const isCut = printer.end();
    const { tasks } = prepared;
    const inMemory = prepared.read !== null;
    for (const line of summary({ ...ran, ...options, tasks, isCut, inMemory })) io.stderr.write(shownLine(line));
    return exitCode(ran.end, ran.collected.count);
  } finally {
    await prepared.close();
  }
}

/** @throws ConnectError `CLI_DOCUMENT_INVALID`, `CLI_USAGE` for several connectors */
async function onlyDocument(file: string, io: CliIo): Promise<ConnectorDocument> {
  const documents = await readDocuments({ paths: [file] }, io);
  if (documents.length === 1) return documents[0] as ConnectorDocument;
  const names = documents.slice(0, SHOWN_NAMES).map(({ name }) => name);
  const more = documents.length > names.length ? ', …' : '';
  throw new ConnectError(
    `${file} has ${documents.length} connectors (${names.join(', ')}${more}); a preview runs one: name a file with one connector.`,
    { code: 'CLI_USAGE' },
  );
}

/** Null after a signal. A connector that has started meanwhile is stopped. */
async function orInterrupted(
  preparing: Promise<PreviewedSource | Refused>,
  interrupted: Promise<void>,
): Promise<PreviewedSource | Refused | null> {
  const prepared = await Promise.race([preparing, interrupted.then(() => null)]);
  if (prepared !== null) return prepared;
  const closed = preparing.then(async (late) => await ('close' in late ? late.close() : undefined));
  await settledWithin(
    closed.catch(() => undefined),
    CLOSE_MS,
    undefined,
  );
  return null;
}

function refuse({ problems }: Refused, { stderr }: CliIo): number {
  const lines = problems.flatMap(({ key, errors }) => errors.map((message) => `  ${key}: ${message}`));
  stderr.write(`The config has ${lines.length} error(s):\n`);
  for (const line of lines) stderr.write(shownLine(line));
  return EXIT.no;
}

/** @throws ConnectError `PREVIEW_OFFSETS` */
function readOffsets(file: string | null, cwd: string): PreviewOffsets {
  if (file === null) return new PreviewOffsets();
  const path = resolve(cwd, file);
  let bytes: Buffer;
  try {
    if (statSync(path).size > MAX_OFFSETS_BYTES) throw new Error(`it has more than ${MAX_OFFSETS_BYTES} bytes`);
    bytes = readFileSync(path);
  } catch (error) {
    throw new ConnectError(`Cannot read offsets from ${file}: ${(error as Error).message}.`, {
      code: 'PREVIEW_OFFSETS',
      cause: error,
    });
  }
  return new PreviewOffsets(parseOffsets(bytes, file));
}
