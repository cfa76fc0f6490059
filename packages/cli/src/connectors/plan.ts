/** What `apply` does with each connector: how the files differ from the cluster. */
import { ConnectError } from '@millrace/sdk';
import { type ConnectorDocument, labelsOf, parseSelector } from '../documents/connector-document';
import { readDocuments } from '../documents/read-documents';
import type { Paint } from '../output/colours';
import { printable } from '../output/printable';
import type { Invocation } from '../program/command-spec';
import type { ConnectClient } from '../rest/connect-client';
import { type Change, changeLines, changesOf, type Config } from './config-changes';

export interface Step {
  readonly name: string;
  readonly action: 'create' | 'update' | 'delete' | 'none';
  readonly changes: readonly Change[];
  /** Absent for `delete`. */
  readonly document?: ConnectorDocument;
}

interface PlanOptions {
  /** Only connectors with these labels, of the files and of the cluster. */
  readonly selector?: string;
  /** Delete connectors that are not in the files. */
  readonly prune?: boolean;
  /** With `prune`: also without a selector. */
  readonly all?: boolean;
}

interface GivenOptions extends PlanOptions {
  readonly filename: readonly string[];
  readonly recursive?: boolean;
}

/** Compares the files with the cluster. */
export async function readPlan(
  client: ConnectClient,
  { options, io }: Pick<Invocation, 'options' | 'io'>,
): Promise<readonly Step[]> {
  const { filename, recursive, ...given } = options as unknown as GivenOptions;
  // Wrong options are an error before anything is read.
  planOf([], new Map(), given);
  const documents = await readDocuments({ paths: filename, isRecursive: recursive }, io);
  return planOf(documents, await presentConfigs(client), given);
}

/** Configs of the connectors of the cluster, by name. */
async function presentConfigs(client: ConnectClient): Promise<ReadonlyMap<string, Config>> {
  const found = await client.request<Record<string, { info?: { config?: Config } }>>('/connectors?expand=info');
  return new Map(Object.entries(found).map(([name, { info }]) => [name, info?.config ?? {}]));
}

/** @throws ConnectError `CLI_USAGE` */
function planOf(
  documents: readonly ConnectorDocument[],
  present: ReadonlyMap<string, Config>,
  { selector, prune = false, all = false }: PlanOptions = {},
): readonly Step[] {
  if (prune && selector === undefined && !all)
    throw new ConnectError('--prune deletes connectors: name them with --selector, or use --all for every other one.', {
      code: 'CLI_USAGE',
    });
  const isSelected = selector === undefined ? (): boolean => true : parseSelector(selector);
  const steps = documents
    .filter(({ config }) => isSelected(labelsOf(config)))
    .map((document): Step => {
      const { name, config } = document;
      const old = present.get(name);
      const changes = changesOf(old === undefined ? {} : { name, ...old }, config);
      return { name, action: old === undefined ? 'create' : changes.length > 0 ? 'update' : 'none', changes, document };
    });
  const kept = new Set(documents.map(({ name }) => name));
  const deleted = [...present].filter(([name, config]) => prune && !kept.has(name) && isSelected(labelsOf(config)));
  return [...steps, ...deleted.map(([name]): Step => ({ name, action: 'delete', changes: [] }))];
}

/** What `json` and `yaml` show. */
export function planValue(steps: readonly Step[]): unknown {
  return steps.map(({ name, action, changes }) => ({ name, action, changes }));
}

/** A paragraph for each connector that changes, and a summary. */
export function planText(steps: readonly Step[], paint: Paint): string {
  const text = steps.map(({ name, action, changes }) => {
    const place = printable(name);
    if (action === 'create') return `${paint('green', `+ ${place}`)}\n${changeLines(changes, paint)}`;
    if (action === 'update') return `${paint('yellow', `~ ${place}`)}\n${changeLines(changes, paint)}`;
    return action === 'delete' ? `${paint('red', `- ${place}`)}\n` : '';
  });
  return `${text.join('')}${summaryOf(steps)}\n`;
}

function summaryOf(steps: readonly Step[]): string {
  const count = (action: Step['action']): number => steps.filter((step) => step.action === action).length;
  return `${count('create')} to create, ${count('update')} to change, ${count('delete')} to delete, ${count('none')} unchanged.`;
}
