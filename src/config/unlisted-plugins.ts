/**
 * Plugins that `GET /connector-plugins` does not list and that have no config definitions: config providers and client
 * config override policies.
 */
const SUFFIXED: readonly (readonly [folder: string, suffix: string, names: readonly string[]])[] = [
  ['org.apache.kafka.common.config.provider.', 'ConfigProvider', ['Directory', 'EnvVar', 'File']],
  [
    'org.apache.kafka.connect.connector.policy.',
    'ConnectorClientConfigOverridePolicy',
    ['All', 'Allowlist', 'None', 'Principal'],
  ],
];

const NAMES = new Set(
  SUFFIXED.flatMap(([folder, suffix, names]) => names.flatMap((name) => [name, name + suffix, folder + name + suffix])),
);

/** By class, simple name, or simple name without its kind. */
export function isUnlistedPlugin(name: string): boolean {
  return NAMES.has(name);
}
