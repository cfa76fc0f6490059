/** The lines about a worker's settings, those of its file and those of its environment. */
import type { ConnectError } from '@millrace/sdk';
import { environmentDifferences } from '../../../../config/differences/environment-differences';
import { workerDifferences } from '../../../../config/differences/worker-differences';
import { embeddedBrokerConfig } from '../../../../config/embedded-broker';
import { fromVariables, withEnvironment } from '../../../../config/environment';
import type { FromVariable } from '../../../../config/image-variables';
import { createConfigResolver } from '../../../../config/providers/config-resolver';
import { hasPlaceholder } from '../../../../config/providers/placeholders';
import { keyOf, SettingProblems } from '../../../../config/setting-problems';
import { parseWorkerConfig, type WorkerConfig } from '../../../../config/worker-config';
import { providerClasses } from '../../../worker/provider-problems';
import { usableConfig } from '../../../worker/usable-config';
import type { JavaWorker } from './read-sources';
import type { Line, Source } from './report';

const PROVIDERS =
  'Use FileConfigProvider, DirectoryConfigProvider or EnvVarConfigProvider, with the secrets in files or variables, or name the folder of its jar in plugin.path.';

type Settings = Readonly<Record<string, string>>;

export interface WorkerSettings {
  readonly settings: Settings;
  /** By key. */
  readonly variables: ReadonlyMap<string, FromVariable>;
  readonly problems: readonly ConnectError[];
  /** Without the settings that have a problem. */
  readonly config: WorkerConfig;
}

/** The settings of file and environment, and what the parser rejects. */
export function readWorkerSettings({ properties, env }: JavaWorker): WorkerSettings {
  const problems = new SettingProblems();
  const settings = problems.attempt(() => withEnvironment(properties, env)) ?? properties;
  const variables = problems.attempt(() => fromVariables(env, properties)) ?? new Map<string, FromVariable>();
  problems.attempt(() => createConfigResolver({ settings: providerClasses(settings), env: {}, warn: () => undefined }));
  problems.attempt(() => parseWorkerConfig(settings));
  problems.attempt(() => embeddedBrokerConfig(settings));
  // What a config provider has for a key is not known.
  const all = problems.all.filter((problem) => !hasPlaceholder(settings[keyOf(problem) ?? ''] ?? ''));
  return { settings, variables, problems: all, config: usableConfig(settings) };
}

/** In the order of the settings. Of the environment: only variables that are for a worker. */
export function workerSources(
  { file, syntax, env }: JavaWorker,
  { settings, variables, problems }: WorkerSettings,
  {
    clients,
    classes,
    plugins,
  }: { readonly clients: readonly Line[]; readonly classes: readonly Line[]; readonly plugins: readonly Line[] },
  ofPlugins: readonly string[],
): readonly Source[] {
  const lines = unique([
    ...(syntax === null ? [] : [lineOf(null, `It is not a properties file: ${syntax}`)]),
    ...classes,
    ...problems.map(problemLine),
    ...workerDifferences(settings, ofPlugins),
    ...clients,
  ]).concat(plugins);
  const isOfFile = ({ key }: Line): boolean => key === null || !variables.has(key);
  const named = (line: Line): Line => {
    const variable = variables.get(line.key ?? '')?.variable;
    return variable === undefined ? line : { ...line, key: `${variable} (${line.key})` };
  };
  const differing = new Set(lines.flatMap(({ key }) => key ?? []));
  const same = (isCounted: (key: string) => boolean): number =>
    Object.keys(settings).filter((key) => isCounted(key) && !differing.has(key)).length;
  // Missing settings are shown with the file, if there is one.
  const hasFile = file !== null;
  const ofEnvironment = lines.filter((line) => !hasFile || !isOfFile(line)).map(named);
  const sources: readonly Source[] = [
    ...(hasFile
      ? [
          {
            ...{ type: 'worker' as const, name: file, place: null, lines: lines.filter(isOfFile) },
            same: same((key) => !variables.has(key)),
          },
        ]
      : []),
    {
      ...{ type: 'environment' as const, name: 'environment', place: null },
      lines: [...ofEnvironment, ...environmentDifferences(env)],
      same: same((key) => !hasFile || variables.has(key)),
    },
  ];
  return sources.filter(({ type, lines: { length }, same: count }) => type === 'worker' || length + count > 0);
}

/** The first line of each key; clients with and without prefix may reject the same. */
function unique(lines: readonly Line[]): readonly Line[] {
  const found = new Set<string>();
  return lines.filter(({ key }) => key === null || (!found.has(key) && found.add(key)));
}

function problemLine(problem: ConnectError): Line {
  const message = problem.message.replace(
    /^Worker setting "[^"]*" is (required|invalid): (.)/s,
    (_, what, first: string) => (what === 'required' ? `It is required: ${first}` : first.toUpperCase()),
  );
  const key = keyOf(problem);
  return lineOf(key, message, /^config\.providers\..*\.class$/.test(key ?? '') ? PROVIDERS : null);
}

function lineOf(key: string | null, message: string, instead: string | null = null): Line {
  return { kind: 'rejected', key, message, instead };
}
