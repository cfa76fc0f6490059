/** The chart of deploy/helm, rendered by real releases of Helm. */
import { spawnSync, type SpawnSyncReturns } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments, stringify } from 'yaml';
import { ROOT } from '../../../../dev/services/paths';

export const CHART = join(ROOT, 'deploy', 'helm', 'millrace');
/** Namespace and name of the rendered release. */
export const RELEASE = 'r';
export const NAMESPACE = 'data';

export interface Manifest {
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly labels: Record<string, string>;
    readonly annotations?: Record<string, string>;
  };
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  readonly [key: string]: any;
}

/** Names of the values files in the chart's folder ci, without their ending. */
export const CASES = readdirSync(join(CHART, 'ci')).map((file) => file.replace(/-values\.yaml$/, ''));

function run(program: string, args: readonly string[], input = ''): SpawnSyncReturns<string> {
  return spawnSync(program, args, { encoding: 'utf8', input, maxBuffer: 64 << 20 });
}

const valuesFile = (name: string): string => join(CHART, 'ci', `${name}-values.yaml`);

/** Throws Helm's message. */
export function lint(helm: string, values: string): string {
  return output(run(helm, ['lint', CHART, '--strict', '--namespace', NAMESPACE, '--values', valuesFile(values)]));
}

const rendered = new Map<string, string>();

/** The text that Helm prints. `values`: a case, or values to add to the minimal ones. Throws Helm's message. */
export function template(helm: string, values: string | object): string {
  const key = JSON.stringify([helm, values]);
  const text = rendered.get(key) ?? freshTemplate(helm, values);
  rendered.set(key, text);
  return text;
}

function freshTemplate(helm: string, values: string | object): string {
  const args = ['template', RELEASE, CHART, '--namespace', NAMESPACE, '--kube-version', '1.34'];
  return typeof values === 'string'
    ? output(run(helm, [...args, '--values', valuesFile(values)]))
    : output(
        run(helm, [...args, '--values', valuesFile('minimal'), '--values', '-'], stringify(values, { version: '1.1' })),
      );
}

export function manifestsIn(text: string): Manifest[] {
  return parseAllDocuments(text)
    .map((document) => document.toJS() as Manifest | null)
    .filter((manifest) => manifest !== null);
}

/** By kind and name. Throws if there is none. */
export function find(manifests: readonly Manifest[], kind: string, name = `${RELEASE}-millrace`): Manifest {
  const found = manifests.find((manifest) => manifest.kind === kind && manifest.metadata.name === name);
  if (!found) throw new Error(`There is no ${kind} ${name}.`);
  return found;
}

/** The Deployment or StatefulSet. */
export function workersOf(manifests: readonly Manifest[]): Manifest {
  const found = manifests.find(({ kind }) => kind === 'Deployment' || kind === 'StatefulSet');
  if (!found) throw new Error('There are no workers.');
  return found;
}

export function validate(program: string, args: readonly string[], manifests: string): string {
  return output(run(program, [...args, '-strict', '-summary'], manifests));
}

function output({ status, stdout, stderr, error }: SpawnSyncReturns<string>): string {
  if (error) throw error;
  if (status !== 0) throw new Error(`${stderr}${stdout}`);
  return stdout;
}
