/**
 * Plug-ins of kinds that have no place in the list and no definitions to show: config providers and policies over
 * client settings.
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

/** By class, simple name, or that without its kind. */
export function isUnlistedPlugin(name: string): boolean {
  return NAMES.has(name);
}
