/**
 * docs/deployment.md: `helm upgrade` as it is written, after `helm install` as it is written. Helm keeps the release in
 * a file, and asks a server that answers what it needs of a cluster's API for a dry run.
 */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from '../../../../dev/services/paths';
import { blocksIn } from '../../../helpers/command-blocks';
import { testWithHelm, useHelm } from './tools';

const releases = useHelm();
const folder = mkdtempSync(join(tmpdir(), 'millrace-upgrade-'));
const stored = join(folder, 'releases.json');

const API: Readonly<Record<string, object>> = {
  '/version': { major: '1', minor: '34', gitVersion: 'v1.34.0' },
  '/api': { kind: 'APIVersions', versions: ['v1'] },
  '/apis': { kind: 'APIGroupList', apiVersion: 'v1', groups: [] },
  '/api/v1': { kind: 'APIResourceList', groupVersion: 'v1', resources: [] },
};
let api: Server;
beforeAll(async () => {
  api = createServer(({ url = '' }, response) => {
    const answer = API[url.split('?')[0] as string];
    response.writeHead(answer ? 200 : 404, { 'Content-Type': 'application/json' }).end(JSON.stringify(answer ?? {}));
  }).listen(0, '127.0.0.1');
  await once(api, 'listening');
});
afterAll(() => {
  api.close();
  rmSync(folder, { recursive: true });
});

interface Release {
  readonly namespace: string;
  readonly info: { status: string };
  readonly chart: { readonly metadata: { version: string }; readonly values: Record<string, unknown> };
}

const page = readFileSync(join(ROOT, 'docs', 'deployment.md'), 'utf8');
const written = (verb: string): string =>
  blocksIn(page).find(({ text }) => text.startsWith(`helm ${verb} `))?.text ?? `no helm ${verb} on the page`;

/** Without changing the cluster. Rejects with Helm's message. */
async function dryRun(helm: string, command: string, ...options: string[]): Promise<string> {
  const { port } = api.address() as AddressInfo;
  const args = command.replaceAll('\\\n', ' ').trim().split(/\s+/).slice(1);
  const dry = ['--dry-run=client', '--kube-apiserver', `http://127.0.0.1:${port}`, ...options];
  const env = { ...process.env, KUBECONFIG: '/dev/null', HELM_DRIVER: 'memory', HELM_MEMORY_DRIVER_DATA: stored };
  return (await promisify(execFile)(helm, [...args, ...dry], { cwd: ROOT, env, maxBuffer: 64 << 20 })).stdout;
}

/** An earlier release of the chart, which did not have some of today's values. */
async function installOlderChart(helm: string): Promise<void> {
  writeFileSync(stored, '[]');
  const release = JSON.parse(await dryRun(helm, written('install'), '--output', 'json')) as Release;
  release.info.status = 'deployed';
  release.chart.metadata.version = '0.0.1';
  delete release.chart.values.metrics;
  writeFileSync(stored, JSON.stringify([release]));
}

testWithHelm(
  'it finds the release, keeps the values that were set, and has the new defaults of the chart',
  async () => {
    expect(releases().length).toBeGreaterThan(1);
    for (const helm of releases()) {
      await installOlderChart(helm);
      const upgraded = await dryRun(helm, written('upgrade'));
      expect(upgraded).toMatch(/^STATUS: pending-upgrade$/m);
      expect(upgraded).toContain('image: registry.example/millrace:0.2.0\n');
      expect(upgraded).toContain('bootstrap.servers=kafka-bootstrap.kafka:9092\n');
    }
  },
);

testWithHelm('a tag of digits is a text, and --reuse-values would miss values that are new in the chart', async () => {
  const [helm = ''] = releases();
  await installOlderChart(helm);
  expect(await dryRun(helm, written('upgrade').replace('0.2.0', '20261129'))).toContain('millrace:20261129\n');
  const reused = written('upgrade').replace('--reset-then-reuse-values', '--reuse-values');
  await expect(dryRun(helm, reused)).rejects.toThrow('nil pointer');
});
