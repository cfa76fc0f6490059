/**
 * `millrace doctor --from-java [FILE...]`: what of a Java worker's settings and connectors is rejected, ignored,
 * changed or replaced. Connects to nothing. Exit codes: 0 if nothing is rejected, otherwise 5.
 */
import type { Invocation } from '@millrace/cli';
import { writeAnswer } from '@millrace/cli/answers';
import { readUsableDocuments, sideBySide } from '@millrace/cli/connectors';
import { paintOf, type ShowProgress, withProgress } from '@millrace/cli/terminal';
import { ConnectError, settledWithin } from '@millrace/sdk';
import { builtInPlugins } from '../../../../built-in-plugins';
import { classDifferences } from '../../../../config/differences/class-differences';
import { createConfigResolver } from '../../../../config/providers/config-resolver';
import { silentLogger } from '../../../../logging/logger';
import { LogLevels } from '../../../../logging/log-levels';
import { createPluginHost } from '../../../../plugin-host/create-host';
import { createPluginRegistry } from '../../../../plugins/create-registry';
import { clientProblems } from '../../../worker/client-problems';
import { providerProblems } from '../../../worker/provider-problems';
import { consoleOnStderr } from '../../../worker/stderr-logger';
import { Secrets } from '../report';
import { connectorSource } from './connector-source';
import { readJavaWorker } from './read-sources';
import { exitCodeOf, type Line, migrationReport, reportText, type Source } from './report';
import { readWorkerSettings, workerSources } from './worker-source';

/** For plugin threads to end, ms. */
const CLOSE_MS = 5_000;

interface Options {
  readonly fromJava?: string;
  readonly envFile?: string;
  readonly config?: string;
}

export async function run(invocation: Invocation): Promise<number> {
  return await withProgress(invocation, examine);
}

async function examine(invocation: Invocation, show: ShowProgress): Promise<number> {
  const { args, options, io } = invocation;
  const { fromJava: file, envFile, config: connects } = options as Options;
  if (connects !== undefined)
    throw new ConnectError(
      '--config checks what the settings connect to, --from-java connects to nothing: run one after the other.',
      {
        code: 'CLI_USAGE',
      },
    );
  const worker = readJavaWorker({ file, envFile }, io);
  const { documents, problems } =
    args.length === 0
      ? { documents: [], problems: [] }
      : await readUsableDocuments({ paths: args, isNameOptional: true }, io);
  // With task.host=inline, plugins run in this thread.
  consoleOnStderr();
  const read = readWorkerSettings(worker);
  const { settings, config } = read;
  const registry = createPluginRegistry({
    pluginPath: config.pluginPath,
    builtIns: builtInPlugins,
    logger: silentLogger,
  });
  await registry.discover();
  const resolver = createConfigResolver({ settings: {}, env: {}, warn: () => undefined });
  const levels = new LogLevels('ERROR');
  const { pluginHost, validator } = createPluginHost(config.taskHost, {
    ...{ config, registry, resolver, levels },
    logger: silentLogger,
  });
  try {
    show(() => 'Checking the settings');
    const ofWorker = workerSources(
      worker,
      { ...read, problems: [...read.problems, ...providerProblems(settings, registry)] },
      {
        clients: await clientProblems(config),
        classes: classDifferences(settings, registry),
        plugins: registry.problems().map(({ message }) => ignored('plugin.path', message)),
      },
      registry.list().flatMap(({ workerSettings = [] }) => workerSettings),
    );
    show(() => 'Checking the connectors');
    const ofConnectors = await sideBySide(documents, (document) => connectorSource(document, { registry, validator }));
    const secrets = new Secrets();
    secrets.add(settings);
    for (const document of documents) secrets.add(document.config);
    const report = migrationReport(
      [...ofWorker, ...unusable(problems), ...ofConnectors].map((source) => hidden(source, secrets)),
    );
    writeAnswer(invocation, report, () => reportText(report, paintOf(io)));
    return exitCodeOf(report);
  } finally {
    await settledWithin(pluginHost.close(), CLOSE_MS, undefined);
  }
}

/** Documents that are no connectors. */
function unusable(problems: readonly string[]): readonly Source[] {
  if (problems.length === 0) return [];
  const lines = problems.map((message): Line => ({ kind: 'rejected', key: null, message, instead: null }));
  return [{ type: 'connector', name: 'documents', place: null, lines, same: 0 }];
}

function ignored(key: string, message: string): Line {
  return { kind: 'ignored', key, message, instead: null };
}

function hidden(source: Source, secrets: Secrets): Source {
  return {
    ...source,
    lines: source.lines.map((line) => ({
      ...line,
      key: line.key === null ? null : secrets.bounded(line.key),
      message: secrets.bounded(line.message),
    })),
  };
}
