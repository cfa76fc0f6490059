/** `sasl.*` settings → credentials. Source: kafka-client §3. */
import { integer, invalid, oneOf, required, text } from '../client-settings';
import { parseJaasConfig, type JaasEntry } from './jaas';
import { foreignLogin } from './strimzi-oauth';
import { clientCredentialsTokens, unsecuredTokens, type TokenSource } from './oauth-bearer';
import type { ClientConfig } from '../port';

const SASL_MECHANISMS = ['PLAIN', 'SCRAM-SHA-256', 'SCRAM-SHA-512', 'OAUTHBEARER'] as const;

export type SaslSettings =
  | {
      readonly mechanism: 'PLAIN' | 'SCRAM-SHA-256' | 'SCRAM-SHA-512';
      readonly username: string;
      readonly password: string;
    }
  | { readonly mechanism: 'OAUTHBEARER'; readonly tokens: TokenSource };

const LOGIN_MODULES: Readonly<Record<(typeof SASL_MECHANISMS)[number], string>> = {
  PLAIN: 'PlainLoginModule',
  'SCRAM-SHA-256': 'ScramLoginModule',
  'SCRAM-SHA-512': 'ScramLoginModule',
  OAUTHBEARER: 'OAuthBearerLoginModule',
};
const JAAS = 'sasl.jaas.config';
const TOKEN_URL = 'sasl.oauthbearer.token.endpoint.url';
const ALLOWED_URLS = 'org.apache.kafka.sasl.oauthbearer.allowed.urls';

/** URLs that a client may fetch tokens from, written as in its settings. */
export type TokenUrls = ReadonlySet<string>;

/** Throws KafkaError INVALID_CLIENT_CONFIG naming the key, never a value of `sasl.jaas.config`. */
export function readSaslSettings(config: ClientConfig, tokenUrls: TokenUrls = new Set()): SaslSettings {
  if (text(config, 'sasl.mechanism')?.toUpperCase() === 'GSSAPI' || text(config, 'sasl.mechanism') === undefined) {
    throw invalid(
      'sasl.mechanism',
      `must be one of ${SASL_MECHANISMS.join(', ')}; GSSAPI, Java's default, is not supported`,
    );
  }
  const mechanism = oneOf(config, 'sasl.mechanism', 'PLAIN', SASL_MECHANISMS);
  const jaas = parseJaasConfig(required(config, JAAS, `${mechanism} reads its credentials from it`));
  const expected = LOGIN_MODULES[mechanism];
  if (jaas.loginModule.split('.').at(-1) !== expected) {
    throw invalid(JAAS, `must name ${expected} for sasl.mechanism ${mechanism}`);
  }
  if (mechanism === 'OAUTHBEARER') return { mechanism, tokens: oauthTokens(config, jaas, tokenUrls) };
  const { username, password } = jaas.options;
  if (username === undefined || password === undefined) {
    throw invalid(JAAS, `needs ${username === undefined ? 'username' : 'password'} for sasl.mechanism ${mechanism}`);
  }
  return { mechanism, username, password };
}

function oauthTokens(config: ClientConfig, jaas: JaasEntry, tokenUrls: TokenUrls): TokenSource {
  const url = text(config, TOKEN_URL);
  if (url === undefined) {
    if (Object.keys(jaas.options).some((name) => name.startsWith('unsecuredLogin')))
      return unsecuredTokens(jaas.options);
    throw (
      foreignLogin(config, jaas) ??
      invalid(TOKEN_URL, `is missing: OAUTHBEARER needs it unless ${JAAS} has unsecuredLogin… options for development`)
    );
  }
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw invalid(TOKEN_URL, 'must be an http or https address');
  }
  // Otherwise a connector config could make the worker send requests anywhere, such as to a cloud metadata service.
  if (!tokenUrls.has(url)) {
    throw invalid(
      TOKEN_URL,
      'cannot be used: The URL cannot be accessed due to restrictions. ' +
        `Update the worker setting '${ALLOWED_URLS}' to allow the URL to be accessed`,
    );
  }
  const clientId = jaas.options['clientId'] ?? text(config, 'sasl.oauthbearer.client.credentials.client.id');
  const clientSecret =
    jaas.options['clientSecret'] ?? text(config, 'sasl.oauthbearer.client.credentials.client.secret');
  if (clientId === undefined || clientSecret === undefined) {
    const missing = clientId === undefined ? 'clientId' : 'clientSecret';
    throw foreignLogin(config, jaas) ?? invalid(JAAS, `needs ${missing} for OAUTHBEARER`);
  }
  return clientCredentialsTokens({
    url,
    clientId,
    clientSecret,
    scope: jaas.options['scope'] ?? text(config, 'sasl.oauthbearer.scope') ?? null,
    extensions: extensionsOf(jaas.options, 'extension_'),
    timeoutMs: integer(config, 'sasl.login.read.timeout.ms', 30_000, 1),
  });
}

function extensionsOf(options: Readonly<Record<string, string>>, prefix: string): Record<string, string> {
  return Object.fromEntries(
    Object.entries(options)
      .filter(([name]) => name.startsWith(prefix))
      .map(([name, value]) => [name.slice(prefix.length), value]),
  );
}
