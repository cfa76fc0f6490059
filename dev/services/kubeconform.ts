/** kubeconform, and the schemas that it validates manifests with. */
import { join } from 'node:path';
import { mkdir } from 'node:fs/promises';
import { goInstall, goModule } from './go-tools';
import { keptDownload } from './kept-download';
import { SCHEMA_FILES, writeCustomSchemas, writeKubernetesSchemas } from './kubernetes-schemas';
import { cacheFolder } from './paths';

const KUBECONFORM = 'v0.8.0';
/** The newest, and the oldest that Kubernetes' own support covered when the chart was written. */
export const KUBERNETES_VERSIONS = ['v1.34.3', 'v1.37.2'];
const PROMETHEUS_OPERATOR = 'v0.85.0';
/** The kinds of the chart, by the OpenAPI document that has them. */
const KINDS = {
  'api__v1_openapi.json': ['ConfigMap', 'Service', 'ServiceAccount'],
  'apis__apps__v1_openapi.json': ['Deployment', 'StatefulSet'],
  'apis__batch__v1_openapi.json': ['Job'],
  'apis__networking.k8s.io__v1_openapi.json': ['NetworkPolicy'],
  'apis__policy__v1_openapi.json': ['PodDisruptionBudget'],
};

const CUSTOM_KINDS = ['servicemonitors', 'prometheusrules'];

export interface Kubeconform {
  readonly program: string;
  /** Arguments that select the schemas of a Kubernetes version, with those of Prometheus Operator. */
  readonly schemasOf: (kubernetes: string) => string[];
}

/** Builds the program and fetches the schemas the first time: about 50 MB, half a minute on two cores. */
export async function fetchKubeconform(): Promise<Kubeconform> {
  const folder = await keptDownload({
    folder: join(cacheFolder(), 'kubeconform'),
    mark: { file: 'versions', text: [KUBECONFORM, ...KUBERNETES_VERSIONS, PROMETHEUS_OPERATOR].join(' ') },
    fill: async (partial) => {
      await goInstall('github.com/yannh/kubeconform/cmd/kubeconform', KUBECONFORM, partial);
      const operator = await goModule('github.com/prometheus-operator/prometheus-operator', PROMETHEUS_OPERATOR);
      for (const version of KUBERNETES_VERSIONS) {
        const schemas = join(partial, version);
        await mkdir(schemas);
        const kubernetes = await goModule('k8s.io/kubernetes', version);
        await writeKubernetesSchemas(join(kubernetes, 'api', 'openapi-spec', 'v3'), KINDS, schemas);
        const definitions = CUSTOM_KINDS.map((kind) =>
          join(operator, 'example', 'prometheus-operator-crd', `monitoring.coreos.com_${kind}.yaml`),
        );
        await writeCustomSchemas(definitions, schemas);
      }
    },
  });
  return {
    program: join(folder, 'kubeconform'),
    schemasOf: (kubernetes) => ['-schema-location', join(folder, kubernetes, SCHEMA_FILES)],
  };
}
