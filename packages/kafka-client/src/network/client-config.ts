/**
 * Java client settings (an unprefixed map of strings) → connection settings. Keys and defaults are Java's. Source:
 * kafka-client §3, connect-runtime Appendix B.
 */
import { isIPv6 } from 'node:net';
import type { ConnectionOptions } from 'node:tls';
import { duration, integer, invalid, list, oneOf, text } from '../client-settings';
import type { ClientConfig } from '../port';
import { readSaslSettings, type SaslSettings, type TokenUrls } from '../security/sasl-config';
import { readTlsOptions } from '../security/ssl-config';

export const SECURITY_PROTOCOLS = ['PLAINTEXT', 'SSL', 'SASL_PLAINTEXT', 'SASL_SSL'] as const;
type SecurityProtocol = (typeof SECURITY_PROTOCOLS)[number];

export interface HostAndPort {
  readonly host: string;
  readonly port: number;
}

/** `host:port`, IPv6 addresses in brackets. */
export function addressText({ host, port }: HostAndPort): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** All durations in milliseconds. */
export interface ConnectionSettings {
  readonly bootstrapServers: readonly HostAndPort[];
  readonly clientId: string;
  readonly requestTimeoutMs: number;
  /** Limit for an operation of several requests. */
  readonly apiTimeoutMs: number;
  readonly connectTimeoutMs: number;
  readonly retryBackoffMs: number;
  readonly retryBackoffMaxMs: number;
  readonly reconnectBackoffMs: number;
  readonly reconnectBackoffMaxMs: number;
  readonly metadataMaxAgeMs: number;
  /** 0 or less: idle connections are never closed. */
  readonly connectionsMaxIdleMs: number;
  readonly securityProtocol: SecurityProtocol;
  readonly tls: ConnectionOptions | null;
  readonly sasl: SaslSettings | null;
}

export function parseBootstrapServers(config: ClientConfig): HostAndPort[] {
  const key = 'bootstrap.servers';
  const servers = list(config, key).map((entry): HostAndPort => {
    // Java accepts a listener name before the address, as in PLAINTEXT://host:9092.
    const match = /^(?:[A-Za-z0-9_]+:\/\/)?(?:\[([0-9A-Fa-f:.]+(?:%\w+)?)\]|([^/[\]\s]+)):(\d+)$/.exec(entry);
    const host = match?.[1] ?? match?.[2];
    const port = Number(match?.[3]);
    if (host === undefined || (host.includes(':') && !isIPv6(host)) || port < 1 || port > 65535) {
      const hint = /:.*:/.test(entry) ? ', and IPv6 addresses in brackets ([::1]:9092)' : '';
      throw invalid(key, `must list host:port${hint}, not '${entry}'`);
    }
    return { host, port };
  });
  if (servers.length === 0)
    throw invalid(key, 'is missing: it lists the Kafka brokers to connect to first, as host:port,host:port');
  return servers;
}

/**
 * Throws KafkaError INVALID_CLIENT_CONFIG naming the key. Reads key and trust store files.
 * @param tokenUrls where OAUTHBEARER tokens may come from (Default: nowhere)
 */
export function readConnectionSettings(config: ClientConfig, tokenUrls?: TokenUrls): ConnectionSettings {
  const securityProtocol = oneOf(config, 'security.protocol', 'PLAINTEXT', SECURITY_PROTOCOLS);
  const withTls = securityProtocol === 'SSL' || securityProtocol === 'SASL_SSL';
  const withSasl = securityProtocol === 'SASL_PLAINTEXT' || securityProtocol === 'SASL_SSL';
  const requestTimeoutMs = integer(config, 'request.timeout.ms', 30_000, 1);
  return {
    bootstrapServers: parseBootstrapServers(config),
    clientId: text(config, 'client.id') ?? '',
    requestTimeoutMs,
    apiTimeoutMs: integer(config, 'default.api.timeout.ms', Math.max(60_000, requestTimeoutMs), 1),
    connectTimeoutMs: duration(config, 'socket.connection.setup.timeout.ms', 10_000, 1),
    retryBackoffMs: duration(config, 'retry.backoff.ms', 100),
    retryBackoffMaxMs: duration(config, 'retry.backoff.max.ms', 1_000),
    reconnectBackoffMs: duration(config, 'reconnect.backoff.ms', 50),
    reconnectBackoffMaxMs: duration(config, 'reconnect.backoff.max.ms', 1_000),
    metadataMaxAgeMs: duration(config, 'metadata.max.age.ms', 300_000),
    connectionsMaxIdleMs: duration(config, 'connections.max.idle.ms', 540_000, -1),
    securityProtocol,
    tls: withTls ? readTlsOptions(config) : null,
    sasl: withSasl ? readSaslSettings(config, tokenUrls) : null,
  };
}
