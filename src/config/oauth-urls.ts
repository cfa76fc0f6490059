/**
 * From where Kafka clients may fetch OAUTHBEARER tokens. In Java a system property; here a worker setting, because a
 * connector's document may set the address and must not be able to allow it. Pure.
 */
export const ALLOWED_TOKEN_URLS = 'org.apache.kafka.sasl.oauthbearer.allowed.urls';

const TOKEN_URL = 'sasl.oauthbearer.token.endpoint.url';

/** Those that are listed, and those of the worker's own clients: whoever writes its file has allowed them by that. */
export function tokenUrls(raw: Readonly<Record<string, string>>, listed: readonly string[]): ReadonlySet<string> {
  const own = ['', 'producer.', 'consumer.', 'admin.'].map((prefix) => raw[`${prefix}${TOKEN_URL}`] ?? '');
  return new Set([...listed, ...own].map((url) => url.trim()).filter((url) => url !== ''));
}
