/**
 * Runs the container of a rendered manifest as a process on this machine: with its arguments, environment and mounted
 * files, and nothing else. Paths of mounts are below a folder of the pod.
 */
import { mkdtempSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { KeptProcess } from '../../../dev/services/kept-process';
import { ROOT } from '../../../dev/services/paths';
import { waitFor } from '../../helpers/wait-for';
import { find, type Manifest } from './chart/chart';

/** Contents of Secrets, by name and key. */
export type Secrets = Readonly<Record<string, Readonly<Record<string, string>>>>;

export interface PodOptions {
  readonly secrets?: Secrets;
  /** Addresses of Services, in place of the cluster's DNS. */
  readonly hosts?: Readonly<Record<string, string>>;
  /** Folder of mounts, for pods that name each other's paths. (Default: the pod's own) */
  readonly root?: string;
}

interface Variable {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: { readonly fieldRef?: { readonly fieldPath: string } };
}

/** What the kubelet knows of the pod. */
const FIELDS: Readonly<Record<string, string>> = { 'status.podIP': '127.0.0.1', 'metadata.name': 'localhost' };

export class Pod {
  private constructor(
    readonly process: KeptProcess,
    readonly root: string,
    private readonly container: Manifest,
  ) {}

  /** `workload`: of `manifests`, which have the ConfigMaps. */
  static async start(manifests: readonly Manifest[], workload: Manifest, options: PodOptions = {}): Promise<Pod> {
    const { spec } = workload.spec.template;
    const [container] = spec.containers;
    const folder = mkdtempSync(join(tmpdir(), 'millrace-pod-'));
    const root = options.root ?? folder;
    const inPod = (text: string): string =>
      Object.entries(options.hosts ?? {}).reduce(
        (changed, [name, address]) => changed.replaceAll(`//${name}:`, `//${address}:`),
        text.replaceAll(/\/(?:etc\/millrace|data\/files)(?![\w-])/g, (path) => join(root, path)),
      );
    for (const { name, mountPath } of container.volumeMounts) {
      const volume = spec.volumes.find((each: { name: string }) => each.name === name);
      const files = contentOf(manifests, volume, options.secrets ?? {});
      await mkdir(join(root, mountPath), { recursive: true });
      for (const [file, text] of Object.entries(files)) {
        await mkdir(dirname(join(root, mountPath, file)), { recursive: true });
        await writeFile(join(root, mountPath, file), inPod(text));
      }
    }
    const started = new KeptProcess({
      command: process.execPath,
      args: [join(ROOT, 'dist', 'main.js'), ...container.args.map(inPod)],
      folder,
      signal: 'TERM',
      env: { PATH: process.env.PATH, HOME: folder, ...environment(container.env ?? []) },
    });
    return new Pod(started, root, container);
  }

  /** Requests a probe's path as the kubelet does. Resolves with the status, or null without an answer. */
  async probe(name: 'startupProbe' | 'livenessProbe' | 'readinessProbe'): Promise<number | null> {
    const { path, port, scheme } = this.container[name].httpGet;
    const { containerPort } = this.container.ports.find((each: { name: string }) => each.name === port);
    const url = `${scheme.toLowerCase()}://${FIELDS['status.podIP']}:${containerPort}${path}`;
    return await fetch(url).then(
      ({ status }) => status,
      () => null,
    );
  }

  async probeSucceeds(name: 'startupProbe' | 'livenessProbe' | 'readinessProbe'): Promise<void> {
    await waitFor(
      `${name} to succeed`,
      async () => {
        if (this.process.exitCode !== undefined) throw new Error(`the container ended:\n${this.process.log()}`);
        return (await this.probe(name)) === 200;
      },
      { timeoutMs: 120_000, detail: () => this.process.log() },
    );
  }

  /** Resolves with the exit code of a container that ends by itself. */
  async completed(): Promise<number> {
    await waitFor('the container to end', () => this.process.exitCode !== undefined, {
      timeoutMs: 180_000,
      detail: () => this.process.log(),
    });
    return this.process.exitCode as number;
  }

  /** Sends SIGTERM, as the kubelet does, and resolves with the exit code. */
  async stop(): Promise<number | null> {
    return await this.process.stop();
  }
}

function contentOf(
  manifests: readonly Manifest[],
  volume: { configMap?: { name: string }; secret?: { secretName: string } },
  secrets: Secrets,
): Readonly<Record<string, string>> {
  if (volume.configMap) return find(manifests, 'ConfigMap', volume.configMap.name).data;
  if (!volume.secret) return {};
  const { secretName } = volume.secret;
  const secret = secrets[secretName];
  if (!secret) throw new Error(`The pod needs a Secret ${secretName}.`);
  return secret;
}

/** `$(NAME)` of an earlier variable is replaced. */
function environment(variables: readonly Variable[]): Record<string, string> {
  const values: Record<string, string> = {};
  for (const { name, value = '', valueFrom } of variables) {
    const field = valueFrom?.fieldRef?.fieldPath;
    values[name] =
      field === undefined
        ? value.replace(/\$\((\w+)\)/g, (whole, key: string) => values[key] ?? whole)
        : (FIELDS[field] ?? '');
  }
  return values;
}
