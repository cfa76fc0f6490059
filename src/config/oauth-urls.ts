/**
 * URLs from which Kafka clients may fetch OAUTHBEARER tokens. Java has a system property; here it is a worker setting,
 * because a connector config may set the URL but must not be able to allow it. Pure.
 */
export const ALLOWED_TOKEN_URLS = 'org.apache.kafka.sasl.oauthbearer.allowed.urls';

const TOKEN_URL = 'sasl.oauthbearer.token.endpoint.url';

/** The listed URLs, and those of the worker's own clients, which the administrator configures. */
export function tokenUrls(raw: Readonly<Record<string, string>>, listed: readonly string[]): ReadonlySet<string> {
  const own = ['', 'producer.', 'consumer.', 'admin.'].map((prefix) => raw[`${prefix}${TOKEN_URL}`] ?? '');
  return new Set([...listed, ...own].map((url) => url.trim()).filter((url) => url !== ''));
}
