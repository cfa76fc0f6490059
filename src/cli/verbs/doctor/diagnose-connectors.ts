/** Calls the diagnosis of each connector's plugin, in a thread of its own and with a deadline. */
import type { ConnectorDocument } from '@millrace/cli/connectors';
import type { ShowProgress } from '@millrace/cli/terminal';
import { type ConnectorConfig, type DiagnosisContext, type Finding, settledWithin } from '@millrace/sdk';
import type { ConfigResolver } from '../../../config/providers/config-resolver';
import { hasPlaceholder } from '../../../config/providers/placeholders';
import type { WorkerConfig } from '../../../config/worker-config';
import type { LogLevels } from '../../../logging/log-levels';
import type { Logger } from '../../../logging/logger';
import { createPluginHost } from '../../../plugin-host/create-host';
import type { PluginHost } from '../../../plugin-host/host';
import type { LocalPluginRegistry } from '../../../plugins/create-registry';
import { grantedSettings } from '../../../plugins/granted-settings';
import type { PluginDescription } from '../../../plugins/registry';
import { commandPlugins } from '../../worker/command-plugins';
import { type Deadline, notReached, read } from './deadline';
import { sentence } from './kafka-findings';
import type { Checked, DoctorFinding, Secrets } from './report';

export interface DiagnosisOptions {
  readonly config: WorkerConfig;
  readonly resolver: ConfigResolver;
  readonly secrets: Secrets;
  readonly logger: Logger;
  readonly levels: LogLevels;
  readonly deadline: Deadline;
  readonly show: ShowProgress;
  /** The workers have listed all of their connectors. */
  readonly isComplete: boolean;
  /** The offsets that the workers have of a connector, as REST returns them; undefined: unknown. */
  readonly offsetsOf: (connector: string) => Promise<unknown>;
}

export interface DiagnosedConnector extends Pick<ConnectorDocument, 'name' | 'config'> {
  /**
   * Its placeholders are replaced with values of this machine. Not for a config that others wrote, which sends the
   * values to hosts of its own.
   */
  readonly isTrusted: boolean;
}

export interface Diagnoses {
  readonly checked: readonly Checked[];
  readonly findings: readonly DoctorFinding[];
}

/** Of one connector. */
const DIAGNOSIS_MS = 20_000;
/** What an answer takes longer than the plugin's own limit, at most. */
const GRACE_MS = 2_000;
/** Less is not worth a connection. */
const SHORTEST_MS = 200;
const RESOLUTION_MS = 10_000;
const AT_ONCE = 4;
const CLOSE_MS = 5_000;
/** What REST shows instead of a secret. */
const HIDDEN = /^(?:\[hidden\]|\*{3,})$/;
const PLACEHOLDER = /\$\{[^${}\s:]*:[^${}]*\}/;
const SEVERITIES: readonly unknown[] = ['error', 'warning', 'unchecked'];

/** Never rejects for a connector's failure. */
export async function diagnoseConnectors(
  documents: readonly DiagnosedConnector[],
  options: DiagnosisOptions,
): Promise<Diagnoses> {
  if (documents.length === 0) return { checked: [], findings: [] };
  const { config, resolver, logger, levels, deadline, show } = options;
  const { registry, jvmChannel, jarProviders, close } = await commandPlugins(config, logger, levels);
  resolver.useJars(jarProviders);
  const { pluginHost } = createPluginHost('thread', { config, registry, resolver, logger, levels, jvmChannel });
  const waiting = [...documents];
  const results: Diagnoses[] = [];
  const workOff = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      show(() => `Checking connectors: ${results.length} of ${documents.length}`);
      results.push(await diagnoseOne(next, { ...options, documents, registry, pluginHost }));
    }
  };
  try {
    await Promise.all(Array.from({ length: AT_ONCE }, workOff));
  } finally {
    const closed = Promise.all([pluginHost.close(), close()]);
    await settledWithin(closed, Math.min(CLOSE_MS, deadline.leftMs), undefined);
  }
  return {
    checked: results.flatMap(({ checked }) => checked),
    findings: results.flatMap(({ findings }) => findings),
  };
}

interface OneOptions extends DiagnosisOptions {
  readonly documents: readonly DiagnosedConnector[];
  readonly registry: LocalPluginRegistry;
  readonly pluginHost: PluginHost;
}

async function diagnoseOne(document: DiagnosedConnector, options: OneOptions): Promise<Diagnoses> {
  const { name } = document;
  const { registry, pluginHost, resolver, secrets, config, deadline } = options;
  if (deadline.leftMs < SHORTEST_MS) return late(name);
  if (!document.isTrusted) {
    const keys = Object.keys(document.config).filter((key) => hasPlaceholder(document.config[key] as string));
    if (keys.length > 0) return ofWorker(name, keys);
  }
  const className = document.config['connector.class'] ?? '';
  let description: PluginDescription | null;
  try {
    description = registry.find(className, ['source', 'sink'], document.config['connector.plugin.version']);
  } catch (error) {
    return unchecked(name, { code: 'DOCTOR_CONFIG', message: `Not checked: ${sentence((error as Error).message)}` });
  }
  const given = await deadline.read('The resolution of its placeholders', RESOLUTION_MS, () =>
    resolver.resolve(document.config, { owner: null }),
  );
  if ('failed' in given) {
    const { failed } = given;
    if (notReached(name, failed) !== null) return late(name);
    return unchecked(name, { code: 'DOCTOR_CONFIG', message: `Not checked: ${sentence(failed.message)}` });
  }
  const resolved: ConnectorConfig = given.value;
  secrets.add(document.config, resolved);
  if (description === null)
    return unchecked(name, {
      code: 'DOCTOR_PLUGIN',
      message: `Not checked: its class ${className} is not installed on this machine.`,
      cure: 'Name the plugin folders with plugin.path in the worker settings, or run the command on a machine of a worker.',
    });
  const open = Object.keys(resolved).filter((key) => PLACEHOLDER.test(resolved[key] as string));
  const hidden = Object.keys(resolved).filter((key) => HIDDEN.test(resolved[key] as string));
  if (open.length + hidden.length > 0) return unresolved(name, open, hidden);
  const graceMs = Math.min(GRACE_MS, deadline.leftMs / 5);
  const timeoutMs = Math.floor(Math.min(DIAGNOSIS_MS, deadline.leftMs - graceMs));
  const context = {
    connector: name,
    workerSettings: grantedSettings(description, config.raw),
    timeoutMs,
    ...(options.isComplete && { connectors: configsOf(description, options) }),
    ...(description.type === 'source' && sourceOffsets(await options.offsetsOf(name))),
  };
  const found = await read('Its diagnosis', timeoutMs + graceMs, () =>
    pluginHost.diagnose(description, { name, ...resolved }, context),
  );
  // A plugin gives up a little before its time ends, to close its connections.
  const isCut = deadline.hasCut(timeoutMs, DIAGNOSIS_MS, graceMs + timeoutMs / 2);
  if ('failed' in found && isCut) return late(name);
  if ('failed' in found)
    return unchecked(name, { code: 'DOCTOR_PLUGIN', message: `Not checked: ${sentence(found.failed.message)}` });
  if (found.value === null) return { checked: [], findings: [] };
  const findings = checkedFindings(found.value).map((finding) => ({ ...finding, subject: `connector ${name}` }));
  const isReached = !findings.some(({ unreachable }) => unreachable === true);
  if (!isReached && isCut) return late(name);
  const checked = { subject: `connector ${name}`, summary: `diagnosed by ${description.class}` };
  return { checked: isReached ? [checked] : [], findings };
}

function sourceOffsets(reply: unknown): Pick<DiagnosisContext, 'offsets'> {
  const { offsets } = (reply ?? {}) as { offsets?: unknown };
  return Array.isArray(offsets) ? { offsets: offsets as NonNullable<DiagnosisContext['offsets']> } : {};
}

/** Of all connectors of the plugin, under any of its names. */
function configsOf({ class: className }: PluginDescription, { documents, registry }: OneOptions): ConnectorConfig[] {
  const isOfPlugin = ({ config }: DiagnosedConnector): boolean => {
    try {
      return registry.find(config['connector.class'] ?? '', ['source', 'sink'])?.class === className;
    } catch {
      // A short name that several plugins have.
      return false;
    }
  };
  return documents.filter(isOfPlugin).map(({ config }) => config);
}

/** A plugin may return anything. */
function checkedFindings(found: readonly Finding[]): Finding[] {
  return (Array.isArray(found) ? (found as readonly (Finding | null)[]) : []).flatMap((finding) => {
    const { severity, code, message, cure, statements, unreachable } = finding ?? ({} as Partial<Finding>);
    if (severity === undefined || !SEVERITIES.includes(severity)) return [];
    return [
      {
        severity,
        code: String(code),
        message: String(message),
        ...(cure !== undefined && { cure: String(cure) }),
        ...(Array.isArray(statements) && { statements: (statements as readonly unknown[]).map(String) }),
        ...(unreachable === true && { unreachable }),
      },
    ];
  });
}

function unresolved(name: string, open: readonly string[], hidden: readonly string[]): Diagnoses {
  const reasons = [
    ...(open.length > 0 ? [`placeholders are not replaced on this machine: ${open.join(', ')}`] : []),
    ...(hidden.length > 0 ? [`the REST API hides ${hidden.join(', ')}`] : []),
  ];
  return unchecked(name, {
    code: 'DOCTOR_CONFIG',
    message: `Not checked: ${reasons.join('; ')}.`,
    cure: 'Run it with the worker settings and the environment of a worker, or name the document of the connector.',
  });
}

function ofWorker(name: string, keys: readonly string[]): Diagnoses {
  return unchecked(name, {
    code: 'DOCTOR_PLACEHOLDERS',
    message: `Not checked: it has placeholders that only its worker replaces: ${keys.join(', ')}.`,
    cure: 'Name a document of the connector whose hosts you have read, or, if you trust everyone who may write connectors, set --resolve-locally on a machine of a worker.',
  });
}

/** `Deadline.merged` names all of them in one finding. */
function late(name: string): Diagnoses {
  return unchecked(name, { code: 'DOCTOR_DEADLINE', message: 'Not checked within --deadline.' });
}

function unchecked(name: string, finding: Pick<Finding, 'code' | 'message' | 'cure'>): Diagnoses {
  return { checked: [], findings: [{ severity: 'unchecked', subject: `connector ${name}`, ...finding }] };
}
