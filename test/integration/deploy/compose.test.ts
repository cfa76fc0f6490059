/** The compose files are valid, and the files that they mount configure what they are mounted for. */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { fetchComposeSpec } from '../../../dev/services/compose-spec';
import { installPrometheus } from '../../../dev/services/debian-programs';
import { whyNoGo } from '../../../dev/services/go-tools';
import { ROOT } from '../../../dev/services/paths';
import { STOP_EXTRA_MS } from '../../../src/cli/worker/run-worker';
import { parseWorkerConfig } from '../../../src/config/worker-config';
import { withEnvironment } from '../../../src/config/environment';
import { parseProperties } from '../../../packages/texts/src/properties';

const BUILD_MS = 900_000;
const MONITORING = 'deploy/compose-monitoring.yaml';
const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');

const noGo = whyNoGo();
if (noGo !== null) process.stderr.write(`SKIPPED: the compose files are not loaded. ${noGo}\n`);
const testWithGo = noGo === null ? test : test.skip;
const noPrometheus = installPrometheus();
if (noPrometheus !== null) process.stderr.write(`SKIPPED: the scrape is not checked: ${noPrometheus}\n`);
const testWithPrometheus = noPrometheus === null ? test : test.skip;

interface Service {
  readonly image?: string;
  readonly stop_grace_period?: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly ports?: readonly { readonly host_ip: string; readonly target: number; readonly published: string }[];
  readonly volumes?: readonly { readonly source: string; readonly target: string; readonly read_only?: boolean }[];
}

let program = '';
beforeAll(async () => {
  if (noGo === null) program = await fetchComposeSpec();
}, BUILD_MS);

/** The services of files that are merged, as the engine would receive them, but with the names of variables. */
function load(...files: string[]): Record<string, Service> {
  const { status, stdout, stderr } = spawnSync(program, ['-no-interpolation', '-format', 'json', ...files], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(stderr);
  return (JSON.parse(stdout) as { services: Record<string, Service> }).services;
}

testWithGo('compose.yaml is valid, and the environment of its worker is a worker config', () => {
  const { worker } = load('compose.yaml');
  const settings = withEnvironment(parseProperties(read('worker.properties')), worker?.environment ?? {});
  const config = parseWorkerConfig(settings);
  expect(config).toMatchObject({ bootstrapServers: 'kafka:9092', groupId: 'millrace' });
  const [, seconds] = /^(\d+)s$/.exec(worker?.stop_grace_period ?? '') ?? [];
  expect(Number(seconds) * 1000).toBeGreaterThan(config.taskShutdownGracefulTimeoutMs + STOP_EXTRA_MS);
});

testWithGo(
  'with the file for monitoring, each mounted file exists, and ports are published on this machine only',
  () => {
    const services = load('compose.yaml', MONITORING);
    expect(Object.keys(services).sort()).toEqual(['grafana', 'kafka', 'postgres', 'prometheus', 'worker']);
    for (const { volumes = [], ports = [] } of Object.values(services)) {
      for (const { source, read_only: isReadOnly } of volumes) {
        expect([source, existsSync(source), isReadOnly]).toEqual([source, true, true]);
      }
      for (const port of ports) expect(port.host_ip).toBe('127.0.0.1');
    }
  },
);

testWithGo('apps/users/compose.yaml is valid, and only Redis reads its key and its users', () => {
  const services = load('apps/users/compose.yaml');
  const sourcesOf = (name: string) => (services[name]?.volumes ?? []).map(({ source }) => source);
  expect(sourcesOf('redis')).toEqual(['tls']);
  expect(sourcesOf('users')).toEqual(['client']);
});

testWithGo('it detects an invalid file', () => {
  expect(() => load('test/integration/deploy/fixtures/invalid-compose.yaml')).toThrow(/prots/);
});

testWithPrometheus('promtool accepts the scrape of the compose files, with the rules beside it', () => {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-scrape-'));
  try {
    cpSync(join(ROOT, 'deploy', 'compose', 'prometheus.yaml'), join(folder, 'prometheus.yaml'));
    cpSync(join(ROOT, 'deploy', 'prometheus', 'alerts.yaml'), join(folder, 'alerts.yaml'));
    const { status, stdout } = spawnSync('promtool', ['check', 'config', join(folder, 'prometheus.yaml')]);
    expect([status, String(stdout)]).toEqual([0, expect.stringContaining('SUCCESS')]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('Grafana gets the dashboard and its data source, and Prometheus scrapes the worker by the job of the rules', () => {
  const { services } = parse(read(MONITORING));
  const mounted = (target: string): string =>
    services.grafana.volumes.find((volume: string) => volume.includes(`:${target}`)).split(':')[0];
  const dashboards = parse(read(mounted('/etc/grafana/provisioning/dashboards/')));
  const [{ options }] = dashboards.providers;
  expect(existsSync(join(ROOT, mounted(options.path), 'millrace.json'))).toBe(true);
  const [source] = parse(read(mounted('/etc/grafana/provisioning/datasources/'))).datasources;
  const { templating } = JSON.parse(read('deploy/grafana/millrace.json'));
  expect(templating.list[0]).toMatchObject({ type: 'datasource', query: source.type });
  expect(Object.keys(services)).toContain(new URL(source.url).hostname);
  const { scrape_configs: scrapes, global } = parse(read('deploy/compose/prometheus.yaml'));
  expect(source.jsonData.timeInterval).toBe(global.scrape_interval);
  expect(scrapes).toEqual([{ job_name: 'millrace', static_configs: [{ targets: ['worker:8083'] }] }]);
  expect(read('deploy/prometheus/alerts.yaml')).toContain('up{job="millrace"}');
});
