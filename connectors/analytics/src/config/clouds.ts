/**
 * The clouds of the service: the hosts of its clusters, and their identity providers. A fixed list, because an endpoint
 * that could name any resource would receive a token of the worker's identity for it. Source: analytics-sink §1.5.
 */
interface KnownCloud {
  /** The first is the default of a cluster that names none. */
  readonly logins: readonly string[];
  readonly suffixes: readonly string[];
}

const CLOUDS: readonly KnownCloud[] = [
  {
    logins: ['https://login.microsoftonline.com'],
    suffixes: [
      '.kusto.windows.net',
      '.kustomfa.windows.net',
      '.kusto.azuresynapse.net',
      '.kusto.fabric.microsoft.com',
      '.kusto.data.microsoft.com',
      '.playfab.com',
    ],
  },
  { logins: ['https://login.microsoftonline.us'], suffixes: ['.kusto.usgovcloudapi.net'] },
  {
    logins: ['https://login.partner.microsoftonline.cn', 'https://login.chinacloudapi.cn'],
    suffixes: ['.kusto.chinacloudapi.cn', '.kusto.azuresynapse.azure.cn'],
  },
  { logins: ['https://login.microsoftonline.eaglex.ic.gov'], suffixes: ['.kusto.core.eaglex.ic.gov'] },
  { logins: ['https://login.microsoftonline.microsoft.scloud'], suffixes: ['.kusto.core.microsoft.scloud'] },
  { logins: ['https://login.sovcloud-identity.fr'], suffixes: ['.kusto.sovcloud-api.fr'] },
  { logins: ['https://login.sovcloud-identity.de'], suffixes: ['.kusto.sovcloud-api.de'] },
  { logins: ['https://login.sovcloud-identity.sg'], suffixes: ['.kusto.sovcloud-api.sg'] },
];

/** Whether this is a host of the service in any cloud. */
export function isServiceHost(host: string): boolean {
  return cloudsOf(host).length > 0;
}

/** Origins that may issue tokens for a cluster on this host. All clouds' for a host that the administrator trusts. */
export function loginsFor(host: string): readonly string[] {
  return candidates(host).flatMap(({ logins }) => logins);
}

/** Resources, besides the cluster itself, that a token for a cluster on this host may be for. */
export function resourcesFor(host: string): readonly string[] {
  return candidates(host).flatMap(({ suffixes }) => suffixes.map((suffix) => `https://kusto${suffix}`));
}

function candidates(host: string): readonly KnownCloud[] {
  const found = cloudsOf(host);
  return found.length > 0 ? found : CLOUDS;
}

function cloudsOf(host: string): readonly KnownCloud[] {
  return CLOUDS.filter(({ suffixes }) => suffixes.some((suffix) => host.endsWith(suffix)));
}
