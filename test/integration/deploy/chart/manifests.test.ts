/** What the chart's manifests mean for a worker: its settings, probes, shutdown, network and secrets. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { STOP_EXTRA_MS } from '../../../../src/cli/worker/run-worker';
import type { AllowedHosts } from '../../../../src/config/allowed-hosts';
import { startupWarnings } from '../../../../src/config/differences/startup-warnings';
import { environmentSettings } from '../../../../src/config/environment';
import { parseProperties } from '../../../../packages/texts/src/properties';
import { parseWorkerConfig } from '../../../../src/config/worker-config';
import { rowsOf } from '../../../../src/config/setting';
import { WORKER_SETTINGS } from '../../../../src/config/worker-settings';
import { isSecretName } from '../../../../packages/texts/src/secrets';
import { ROOT } from '../../../../dev/services/paths';
import { fakeWorker } from '../../../rest/fake-worker';
import { CASES, CHART, find, manifestsIn, NAMESPACE, template, workersOf, type Manifest } from './chart';
import { testWithHelm, useHelm } from './tools';

const releases = useHelm();
const render = (values: string | object): Manifest[] => manifestsIn(template(releases().at(-1) as string, values));
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const GET_PATHS = fakeWorker()
  .routes.filter(({ method }) => method === 'GET')
  .map(({ path }) => path);
const settingsOf = (manifests: readonly Manifest[]): Record<string, string> =>
  parseProperties(find(manifests, 'ConfigMap').data['worker.properties']);
const podOf = (manifests: readonly Manifest[]): Manifest => workersOf(manifests).spec.template;
const containerOf = (manifests: readonly Manifest[]): Manifest => podOf(manifests).spec.containers[0];
/** A secret comes from a config provider. */
const isPlaceholder = (value: string): boolean => /\$\{(file|directory):\/etc\/millrace\/[^}]+\}/.test(value);
const selects = (selector: Record<string, string>, labels: Record<string, string>): boolean =>
  Object.entries(selector).every(([key, value]) => labels[key] === value);

describe.each(CASES)('values %s', (values) => {
  testWithHelm('a worker accepts the settings, and knows all of them', () => {
    const settings = settingsOf(render(values));
    const config = parseWorkerConfig(settings);
    expect(config.groupId).toBe(settings['group.id']);
    expect(startupWarnings(settings)).toEqual([]);
    const known = new Set(rowsOf(WORKER_SETTINGS).map(({ name }) => name));
    const env = containerOf(render(values)).env as { name: string }[];
    const overrides = Object.keys(environmentSettings(Object.fromEntries(env.map(({ name }) => [name, 'x']))));
    expect(overrides).toContain('rest.advertised.host.name');
    expect(overrides.filter((name) => !known.has(name))).toEqual([]);
  });

  testWithHelm('no ConfigMap has a secret, and each secret file that a setting reads is mounted', () => {
    const manifests = render(values);
    const settings = settingsOf(manifests);
    const secrets = Object.entries(settings).filter(([name]) => isSecretName(name));
    expect(secrets.filter(([, value]) => !isPlaceholder(value))).toEqual([]);
    const mounts = containerOf(manifests).volumeMounts as { name: string; mountPath: string }[];
    const volumes = podOf(manifests).spec.volumes as { name: string; secret?: object }[];
    const secretFolders = mounts
      .filter(({ name }) => volumes.find((volume) => volume.name === name)?.secret)
      .map(({ mountPath }) => mountPath);
    for (const [, value] of secrets) {
      const [, folder = ''] = /\$\{directory:([^:}]+):/.exec(value) ?? [];
      expect(secretFolders).toContain(folder);
    }
    const location = settings['ssl.truststore.location'];
    if (location !== undefined) expect(secretFolders).toContain(location.replace(/\/[^/]*$/, ''));
  });

  testWithHelm('file connectors are limited to a volume without settings and secrets', () => {
    const manifests = render(values);
    const root = settingsOf(manifests)['file.root'];
    const mounts = containerOf(manifests).volumeMounts as { name: string; mountPath: string }[];
    const inside = mounts.filter(({ mountPath }) => mountPath === root || mountPath.startsWith(`${root}/`));
    expect(inside).toEqual([{ name: 'files', mountPath: '/data/files' }]);
    expect(podOf(manifests).spec.volumes).toContainEqual({ name: 'files', emptyDir: { sizeLimit: '64Mi' } });
  });

  testWithHelm('probes request routes of the REST API at its port, and liveness does not depend on Kafka', () => {
    const manifests = render(values);
    const { startupProbe, livenessProbe, readinessProbe, ports } = containerOf(manifests);
    for (const { httpGet } of [startupProbe, livenessProbe, readinessProbe]) {
      expect(GET_PATHS).toContain(httpGet.path);
      expect(httpGet).toMatchObject({ port: 'rest', scheme: 'HTTP' });
    }
    expect(startupProbe.httpGet.path).toBe('/');
    expect(livenessProbe.httpGet.path).toBe('/');
    expect(readinessProbe.httpGet.path).toBe('/health');
    const { port } = new URL(settingsOf(manifests)['listeners']?.replace('://:', '://worker:') ?? '');
    expect(ports).toEqual([{ name: 'rest', containerPort: Number(port), protocol: 'TCP' }]);
  });

  testWithHelm('the grace period is longer than the shutdown of a worker', () => {
    const manifests = render(values);
    const { taskShutdownGracefulTimeoutMs } = parseWorkerConfig(settingsOf(manifests));
    const grace = podOf(manifests).spec.terminationGracePeriodSeconds as number;
    expect(grace * 1000).toBeGreaterThan(taskShutdownGracefulTimeoutMs + STOP_EXTRA_MS);
  });

  testWithHelm('the pod satisfies the restricted Pod Security Standard', () => {
    const { spec } = podOf(render(values));
    expect(spec.securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } });
    expect(spec.securityContext.runAsUser).toBeGreaterThan(0);
    expect(spec).toMatchObject({ automountServiceAccountToken: false, enableServiceLinks: false });
    for (const { securityContext } of spec.containers) {
      expect(securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
    }
    for (const folder of ['/data', '/tmp'])
      expect(spec.containers[0].volumeMounts).toContainEqual(expect.objectContaining({ mountPath: folder }));
    expect(spec.volumes).toContainEqual({ name: 'tmp', emptyDir: { sizeLimit: '2Gi' } });
  });

  testWithHelm('every selector matches the workers, and only them', () => {
    const manifests = render(values);
    const workers = workersOf(manifests);
    const { labels } = podOf(manifests).metadata;
    const selectors = manifests.flatMap(({ kind, spec }) =>
      kind === 'Service'
        ? [spec.selector]
        : (spec?.selector ?? spec?.podSelector)?.matchLabels
          ? [selectorOf(spec)]
          : [],
    );
    expect(selectors.length).toBeGreaterThan(2);
    const jobs = manifests.filter(({ kind }) => kind === 'Job').map(({ spec }) => spec.template.metadata.labels);
    for (const selector of selectors.filter(({ 'app.kubernetes.io/component': part }) => part === 'worker')) {
      expect(selects(selector, labels)).toBe(true);
      expect(jobs.filter((job) => selects(selector, job))).toEqual([]);
    }
    expect(selects(workers.spec.selector.matchLabels, labels)).toBe(true);
  });

  testWithHelm('a disruption budget lets nodes be drained, one worker at a time', () => {
    const manifests = render(values);
    expect(find(manifests, 'PodDisruptionBudget').spec).toMatchObject({ maxUnavailable: 1 });
    expect(find(manifests, 'PodDisruptionBudget').spec).not.toHaveProperty('minAvailable');
  });
});

function selectorOf(spec: Manifest['spec']): Record<string, string> {
  return (spec.selector ?? spec.podSelector).matchLabels;
}

testWithHelm('numbers of settings are written in full, and lists with commas', () => {
  const settings = settingsOf(
    render({
      config: { 'a.number': 16777216, 'a.fraction': 0.5, 'a.list': ['x', 'y'], flag: false, path: 'C:\\x\ny' },
    }),
  );
  expect(settings).toMatchObject({
    ...{ 'a.number': '16777216', 'a.fraction': '0.5', 'a.list': 'x,y', flag: 'false', path: 'C:\\x\ny' },
  });
});

testWithHelm('a Deployment advertises the address of the pod, and moves the work of a stopped worker at once', () => {
  const manifests = render('minimal');
  expect(containerOf(manifests).env).toContainEqual({
    name: 'CONNECT_REST_ADVERTISED_HOST_NAME',
    valueFrom: { fieldRef: { fieldPath: 'status.podIP' } },
  });
  expect(settingsOf(manifests)['scheduled.rebalance.max.delay.ms']).toBe('0');
  expect(workersOf(manifests).spec.strategy.rollingUpdate).toEqual({ maxSurge: 1, maxUnavailable: 0 });
});

testWithHelm('a StatefulSet advertises the name of the pod, and its work waits for it', () => {
  const manifests = render({ kind: 'StatefulSet' });
  const { spec } = workersOf(manifests);
  const headless = find(manifests, 'Service', spec.serviceName).spec;
  expect(headless).toMatchObject({ clusterIP: 'None', publishNotReadyAddresses: true });
  const [podName, advertised] = containerOf(manifests).env;
  expect(podName).toEqual({ name: 'POD_NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } });
  expect(advertised.value).toBe(`$(POD_NAME).${spec.serviceName}.${NAMESPACE}.svc`);
  expect(settingsOf(manifests)['scheduled.rebalance.max.delay.ms']).toBe('300000');
});

testWithHelm('workers know the names of the Services and pods, and further ones of config, but no others', () => {
  const hostsOf = (values: string | object): AllowedHosts => parseWorkerConfig(settingsOf(render(values))).allowedHosts;
  const service = ['r-millrace', 'r-millrace.data', 'r-millrace.data.svc', 'r-millrace.data.svc.cluster.local'];
  const foreign = ['attacker.example', 'r-millrace.attacker.example', 'data', 'svc.cluster.local', 'other.data.svc'];
  const pod = 'r-millrace-0.r-millrace-workers.data.svc';
  for (const [values, names, others] of [
    ['minimal', service, [...foreign, pod]],
    [{ kind: 'StatefulSet' }, [...service, pod, `${pod}.cluster.local`], foreign],
    ['everything', [...service, pod, 'connect.example'], foreign],
    [{ config: { 'rest.allowed.hosts': ['a.test', '*.b.test'] } }, [...service, 'a.test', 'x.b.test'], foreign],
  ] as const) {
    const hosts = hostsOf(values);
    expect(hosts).toMatchObject({ isSet: true, isOff: false });
    expect(['localhost', ...names].filter((name) => !hosts.allows(name))).toEqual([]);
    expect(others.filter((name) => hosts.allows(name))).toEqual([]);
  }
  expect(hostsOf({ config: { 'rest.allowed.hosts': '*' } }).isOff).toBe(true);
});

testWithHelm('the network policy admits the group and the configured peers to the REST port', () => {
  const { spec } = find(render('network-policy'), 'NetworkPolicy');
  expect(spec.policyTypes).toEqual(['Ingress', 'Egress']);
  const [ingress] = spec.ingress;
  expect(ingress.ports).toEqual([{ protocol: 'TCP', port: 'rest' }]);
  expect(ingress.from).toHaveLength(2);
  const { labels } = podOf(render('network-policy')).metadata;
  expect(selects(ingress.from[0].podSelector.matchLabels, labels)).toBe(true);
  const ports = spec.egress.flatMap((rule: { ports?: { port: unknown }[] }) => rule.ports ?? []);
  expect(ports.map(({ port }: { port: unknown }) => port)).toEqual(['rest', 53, 53, 9092, 5432]);
  expect(find(render({ networkPolicy: { enabled: true } }), 'NetworkPolicy').spec.policyTypes).toEqual(['Ingress']);
});

testWithHelm('alert rules and dashboard are those of deploy, with the job that they expect', () => {
  const manifests = render('monitoring');
  expect(find(manifests, 'PrometheusRule').spec).toEqual(parse(read('deploy/prometheus/alerts.yaml')));
  const dashboard = find(manifests, 'ConfigMap', 'r-millrace-dashboard');
  expect(dashboard.metadata.labels).toMatchObject({ grafana_dashboard: '1' });
  expect(JSON.parse(dashboard.data['millrace.json'])).toEqual(JSON.parse(read('deploy/grafana/millrace.json')));
  const [endpoint] = find(manifests, 'ServiceMonitor').spec.endpoints;
  expect(GET_PATHS).toContain(endpoint.path);
  const { job_name: job } = parse(read('deploy/prometheus/prometheus.yaml')).scrape_configs[0];
  expect(endpoint.relabelings).toEqual([{ action: 'replace', targetLabel: 'job', replacement: job }]);
});

testWithHelm('the runbook of the alerts is where runbookUrl says', () => {
  const runbookUrl = 'https://docs.internal/alerts.md';
  const manifests = render({
    metrics: { prometheusRule: { enabled: true, runbookUrl }, dashboard: { enabled: true } },
  });
  const dashboard = find(manifests, 'ConfigMap', 'r-millrace-dashboard').data['millrace.json'] as string;
  expect(dashboard).toContain(`"${runbookUrl}#`);
  expect(dashboard).not.toContain('millrace.example');
  const { groups } = find(manifests, 'PrometheusRule').spec;
  const rules = (groups as { rules: { annotations: { runbook_url: string } }[] }[]).flatMap((group) => group.rules);
  expect(rules.length).toBeGreaterThan(20);
  expect(rules.filter(({ annotations }) => !annotations.runbook_url.startsWith(`${runbookUrl}#`))).toEqual([]);
});

testWithHelm('Prometheus finds each worker once, also in a StatefulSet with its second Service', () => {
  const manifests = render({ kind: 'StatefulSet', metrics: { serviceMonitor: { enabled: true } } });
  const { matchLabels } = find(manifests, 'ServiceMonitor').spec.selector;
  const services = manifests.filter(
    ({ kind, metadata }) => kind === 'Service' && selects(matchLabels, metadata.labels),
  );
  expect(services.map(({ metadata }) => metadata.name)).toEqual(['r-millrace']);
});

testWithHelm('another file.root replaces that of the chart', () => {
  const settings = settingsOf(render({ config: { 'file.root': '/mnt/exports' } }));
  expect(settings['file.root']).toBe('/mnt/exports');
});

testWithHelm('a changed setting replaces the pods, another value does not', () => {
  const checksum = (values: object) => podOf(render(values)).metadata.annotations?.['checksum/settings'];
  expect(checksum({ config: { 'task.threads': 3 } })).not.toBe(checksum({}));
  expect(checksum({ metrics: { dashboard: { enabled: true } } })).toBe(checksum({}));
});

testWithHelm('the longest name leaves room for the suffixes that Kubernetes adds', () => {
  const manifests = render({
    ...{ kind: 'StatefulSet', fullnameOverride: 'x'.repeat(80), metrics: { dashboard: { enabled: true } } },
    connectors: { c: { 'connector.class': 'X' } },
  });
  const revision = '-0123456789';
  expect(manifests.filter(({ metadata }) => metadata.name.length > 63)).toEqual([]);
  expect(`${workersOf(manifests).metadata.name}${revision}`.length).toBeLessThanOrEqual(63);
});

test('the copies in the chart are up to date, and its version is that of the worker', () => {
  expect(read('deploy/helm/millrace/files/alerts.yaml')).toBe(read('deploy/prometheus/alerts.yaml'));
  expect(read('deploy/helm/millrace/files/dashboard.json')).toBe(read('deploy/grafana/millrace.json'));
  const { version } = JSON.parse(read('package.json')) as { version: string };
  expect(parse(readFileSync(join(CHART, 'Chart.yaml'), 'utf8'))).toMatchObject({ version, appVersion: version });
});
