/** Login by Java classes, such as Strimzi's OAuth client, which cannot run here: names what to set instead. */
import type { ClientConfig } from '../port';
import { invalid, text } from '../client-settings';
import type { JaasEntry } from './jaas';

const HANDLER = 'sasl.login.callback.handler.class';
/** Kafka's own, whose work the client does. */
const KAFKAS_HANDLER = /^org\.apache\.kafka\.common\.security\.oauthbearer\.(?:\w+\.)*OAuthBearer\w+CallbackHandler$/;
const STRIMZIS = 'io.strimzi.kafka.oauth.';
/** Strimzi's options of `sasl.jaas.config`, and what to set instead. */
const INSTEAD: Readonly<Record<string, string>> = {
  'oauth.token.endpoint.uri': 'the key sasl.oauthbearer.token.endpoint.url',
  'oauth.client.id': 'clientId in sasl.jaas.config',
  'oauth.client.secret': 'clientSecret in sasl.jaas.config',
  'oauth.scope': 'scope in sasl.jaas.config',
  'oauth.ssl.truststore.location': 'the environment variable NODE_EXTRA_CA_CERTS, a PEM file',
  'oauth.ssl.truststore.certificates': 'the environment variable NODE_EXTRA_CA_CERTS, a PEM file',
};
const CREDENTIALS = ['oauth.token.endpoint.uri', 'oauth.client.id', 'oauth.client.secret'];

/**
 * The error for settings of a login that this client does not have; null: they are Kafka's. Options are named, never
 * their values.
 */
export function foreignLogin(config: ClientConfig, { options }: JaasEntry): Error | null {
  const handler = text(config, HANDLER);
  const names = Object.keys(options).filter((name) => name.startsWith('oauth.'));
  const isStrimzis = handler?.startsWith(STRIMZIS) === true;
  if (isStrimzis || names.length > 0) {
    const given = names.length > 0 ? names : CREDENTIALS;
    const instead = given.filter((name) => INSTEAD[name]).map((name) => `${INSTEAD[name]} instead of ${name}`);
    const unknown = given.filter((name) => !INSTEAD[name]);
    const reasons = [
      'which is a Java library and cannot run here',
      ...(instead.length > 0 ? [`set ${instead.join(', ')}`] : []),
      ...(unknown.length > 0 ? [`not supported: ${unknown.join(', ')}`] : []),
    ];
    return invalid(
      isStrimzis ? HANDLER : 'sasl.jaas.config',
      `${isStrimzis ? `is ${handler}` : "has options of Strimzi's OAuth client"}, ${reasons.join('; ')}`,
    );
  }
  if (handler === undefined || KAFKAS_HANDLER.test(handler)) return null;
  return invalid(
    HANDLER,
    `is ${handler}, a Java class, which cannot run here; OAUTHBEARER gets its tokens from sasl.oauthbearer.token.endpoint.url, with clientId and clientSecret of sasl.jaas.config`,
  );
}
