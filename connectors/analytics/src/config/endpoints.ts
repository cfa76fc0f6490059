/**
 * Which clusters the sink may connect to, and how the two URLs of a cluster derive from each other. Source:
 * analytics-sink §1.5.
 */
import { isIP } from 'node:net';
import type { WorkerSettings } from '@millrace/sdk';
import { isServiceHost } from './clouds';
import { WORKER_KEY } from './definitions';

/** From the worker's settings: a connector config cannot change it. */
export interface Trust {
  /** Hosts, or `.suffix` for all names with that ending. */
  readonly hosts: readonly string[];
  /** Whether HTTP is allowed, to these and to well-known hosts. */
  readonly insecure: boolean;
}

export function trustOf(settings: WorkerSettings): Trust {
  const hosts = settings[WORKER_KEY.trustedHosts] ?? '';
  return {
    hosts: hosts
      .toLowerCase()
      .split(/[\s,]+/)
      .filter((host) => host !== ''),
    insecure: settings[WORKER_KEY.allowInsecureEndpoints]?.toLowerCase() === 'true',
  };
}

type Endpoint = { readonly url: string } | { readonly problem: string };

export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || /^127(?:\.[0-9]{1,3}){3}$/.test(host);
}

/** Scheme, host and port of an allowed URL, without the rest. */
export function checkEndpoint(text: string, trust: Trust): Endpoint {
  const trimmed = text.trim();
  let url: URL;
  try {
    url = new URL(/^[a-z][a-z0-9+.-]*:\/\//i.test(trimmed) ? trimmed : `https://${trimmed}`);
  } catch {
    return { problem: 'it is not a URL' };
  }
  if (url.username || url.password) return { problem: 'a URL with a user name or password is not allowed' };
  const local = isLoopback(url.hostname);
  if (url.protocol === 'http:' && !local && !trust.insecure)
    return { problem: 'HTTP is not supported. Only HTTPS endpoints are allowed.' };
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return { problem: `scheme ${url.protocol} is not HTTPS` };
  if (!local && !isKnown(url.hostname, trust))
    return {
      problem: `${url.hostname} is not a known endpoint of the service, nor in the worker setting "analytics.trusted.hosts"`,
    };
  return { url: url.origin };
}

/**
 * Whether this machine's identity may be used for the endpoint. Any other host may belong to the author of the config.
 */
export function mayReceiveIdentityToken(endpoint: string, trust: Trust): boolean {
  const { protocol, hostname } = new URL(endpoint);
  return trust.insecure || (protocol === 'https:' && isKnown(hostname, trust));
}

function isKnown(host: string, { hosts }: Trust): boolean {
  return (
    isServiceHost(host) ||
    hosts.some((trusted) => (trusted.startsWith('.') ? host.endsWith(trusted) : host === trusted))
  );
}

/** The engine's URL: the ingestion host without `ingest-`. Hosts without that prefix serve both. */
export function queryUrlOf(ingestionUrl: string): string {
  return ingestionUrl.replace(/^(https?:\/\/)ingest-/, '$1');
}

export function ingestionUrlOf(queryUrl: string): string {
  const { protocol, host, hostname } = new URL(queryUrl);
  const isAddress = isIP(hostname.replace(/^\[|\]$/g, '')) > 0;
  if (isLoopback(hostname) || isAddress || hostname.startsWith('ingest-')) return queryUrl;
  return `${protocol}//ingest-${host}`;
}
