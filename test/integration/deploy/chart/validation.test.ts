/** The chart's manifests are valid, for releases of Helm and versions of Kubernetes that users have. */
import { fetchKubeconform, KUBERNETES_VERSIONS, type Kubeconform } from '../../../../dev/services/kubeconform';
import { CASES, lint, manifestsIn, template, validate } from './chart';
import { BUILD_MS, noGo, testWithHelm, testWithKubeconform, useHelm } from './tools';

const releases = useHelm();

testWithHelm.each(CASES)('values %s: helm lint has no complaint, and all releases render the same', (values) => {
  expect(releases().length).toBeGreaterThan(1);
  for (const helm of releases()) expect(lint(helm, values)).toMatch(/0 chart\(s\) failed/);
  const [first, ...others] = releases().map((helm) => manifestsIn(template(helm, values)));
  expect(first?.length).toBeGreaterThan(4);
  for (const other of others) expect(other).toEqual(first);
});

describe('kubeconform', () => {
  let kubeconform: Kubeconform;
  beforeAll(async () => {
    if (noGo === null) kubeconform = await fetchKubeconform();
  }, BUILD_MS);

  const pairs = CASES.flatMap((values) => KUBERNETES_VERSIONS.map((kubernetes) => [values, kubernetes] as const));
  testWithKubeconform.each(pairs)('values %s: every manifest is valid for Kubernetes %s', (values, kubernetes) => {
    const text = template(releases()[0] as string, values);
    const count = manifestsIn(text).length;
    expect(validate(kubeconform.program, kubeconform.schemasOf(kubernetes), text)).toContain(
      `${count} resources found parsing stdin - Valid: ${count}, Invalid: 0, Errors: 0, Skipped: 0`,
    );
  });

  testWithKubeconform.each([
    ['a field that does not exist', 'PodDisruptionBudget', /maxUnavailable: 1/, 'minReady: 1'],
    ['a value of another type', 'Deployment', /replicas: 2/, 'replicas: two'],
    ['a missing field of a custom resource', 'ServiceMonitor', / {2}endpoints:/, '  selector:'],
  ])('it detects %s', (_what, kind, correct, wrong) => {
    const text = template(releases()[0] as string, 'monitoring');
    const { program, schemasOf } = kubeconform;
    const broken = text.replace(correct, wrong);
    expect(broken).not.toBe(text);
    expect(() => validate(program, schemasOf(KUBERNETES_VERSIONS[0] as string), broken)).toThrow(
      new RegExp(`${kind} r-millrace (is invalid|failed validation)`),
    );
  });
});
