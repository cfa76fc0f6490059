/** What the shipped files let a container, a service and a connector do: no more than they need. */
import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { parse } from 'yaml';
import { imageConfig, stagesOf } from '../../dev/images/dockerfile';
import { COMPOSE_FILES } from '../../dev/images/pinned-images';
import { withEnvironment } from '../../src/config/environment';
import { parseProperties } from '../../packages/texts/src/properties';
import { isSecretName } from '../../packages/texts/src/secrets';
import { readUnit } from '../integration/deploy/unit-file';

const ROOT = join(__dirname, '..', '..');
const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');

interface Service {
  readonly build?: unknown;
  readonly user?: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly ports?: readonly string[];
  readonly volumes?: readonly string[];
  readonly tmpfs?: readonly string[];
  readonly read_only?: boolean;
  readonly privileged?: boolean;
  readonly network_mode?: string;
  readonly cap_add?: readonly string[];
  readonly cap_drop?: readonly string[];
  readonly security_opt?: readonly string[];
}
const servicesOf = (file: string): Record<string, Service> => parse(read(file)).services;
const services = COMPOSE_FILES.flatMap((file) =>
  Object.entries(servicesOf(file)).map(([name, service]) => [`${name} of ${file}`, service] as const),
);

test('all compose files are read', () => {
  expect(COMPOSE_FILES).toContain('deploy/compose-monitoring.yaml');
  expect(services.length).toBeGreaterThan(7);
});

test.each(services)('the container of %s has no privileges that it does not need', (_name, service) => {
  expect(service).not.toHaveProperty('privileged');
  expect(service).not.toHaveProperty('network_mode');
  expect(service.cap_drop).toEqual(['ALL']);
  expect(service.security_opt).toEqual(['no-new-privileges:true']);
  expect((service.volumes ?? []).filter((volume) => /docker\.sock|^\/(?!tls)/.test(volume))).toEqual([]);
  // One that is reachable, or runs until it is stopped, is not root.
  if (service.user === 'root' || service.cap_add) expect(service.ports).toBeUndefined();
});

test.each(services.filter(([, { build }]) => build !== undefined))(
  'the root file system of %s is read-only',
  (_name, service) => {
    expect(service.read_only).toBe(true);
  },
);

test.each(services)('no password of %s is in the file, unless no port of it is published', (_name, service) => {
  const secrets = Object.entries(service.environment ?? {}).filter(([name]) => isSecretName(name));
  const known = secrets.filter(([name, value]) => !name.endsWith('_FILE') && !/^\$\{\w+:\?[^}]+\}$/.test(value));
  if (service.ports) expect(known).toEqual([]);
});

test('visitors of Grafana without a login may only look', () => {
  const { environment = {} } = servicesOf('deploy/compose-monitoring.yaml').grafana ?? {};
  expect(environment).toMatchObject({ GF_AUTH_ANONYMOUS_ENABLED: 'true', GF_AUTH_ANONYMOUS_ORG_ROLE: 'Viewer' });
  expect(environment.GF_SECURITY_ADMIN_PASSWORD).toMatch(/^\$\{GRAFANA_ADMIN_PASSWORD:\?/);
});

describe('file connectors are limited to a folder of their own, without settings and secrets', () => {
  const settings = parseProperties(read('worker.properties'));
  const [last] = stagesOf(read('Dockerfile')).slice(-1);
  const workdir = imageConfig(last as NonNullable<typeof last>).workdir;
  const rootIn = (folder: string, given: Record<string, string>): string =>
    posix.resolve(folder, given['file.root'] ?? '/');

  test('in the image', () => {
    expect(rootIn(workdir, settings)).toBe('/data/files');
    const steps = last?.instructions.filter(({ name }) => name === 'RUN').map(({ rest }) => rest);
    expect(steps).toContain('mkdir -m 1777 /data /data/files');
  });

  test('in compose.yaml', () => {
    const { environment = {} } = servicesOf('compose.yaml').worker ?? {};
    const root = rootIn(workdir, withEnvironment(settings, environment));
    expect(root).toBe('/data/files');
    const { file } = JSON.parse(read('examples/todos-file-sink.json')).config;
    expect(posix.resolve(workdir, file).startsWith(`${root}/`)).toBe(true);
  });

  test('in the service of systemd', () => {
    const unit = readUnit();
    const runtime = (unit.get('RuntimeDirectory')?.[0] ?? '').split(' ').map((name) => `%t/${name}`);
    const root = posix.join(unit.get('WorkingDirectory')?.[0] ?? '', settings['file.root'] ?? '..');
    expect(runtime).toContain(root);
    expect(root).not.toBe(unit.get('WorkingDirectory')?.[0]);
  });
});
