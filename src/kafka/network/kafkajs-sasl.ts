/** SASL credentials → the options of kafkajs's authenticator, which implements PLAIN and SCRAM, but not OAUTHBEARER. */
import type Connection from 'kafkajs/src/network/connection';
import { KafkaError } from '../errors';
import type { SaslSettings } from '../security/sasl-config';
import { addressText } from './address-text';

const SEPARATOR = '\u0001';

export function kafkajsSasl(settings: SaslSettings): Connection.KafkajsSasl {
  if (settings.mechanism !== 'OAUTHBEARER') return { ...settings };
  return {
    mechanism: settings.mechanism,
    authenticationProvider: ({ host, port, saslAuthenticate }) => ({
      async authenticate() {
        const { value, extensions } = await settings.tokens();
        const extra = Object.entries(extensions).map(([name, text]) => `${name}=${text}${SEPARATOR}`);
        const first = `n,,${SEPARATOR}auth=Bearer ${value}${SEPARATOR}${extra.join('')}${SEPARATOR}`;
        const response = await saslAuthenticate(exchange(first));
        if (response.length === 0) return;
        // RFC 7628 §3.2.3: a rejection is JSON, and the exchange ends with one more byte of the client.
        const reason = response.toString('utf8');
        await saslAuthenticate(exchange(SEPARATOR)).catch(() => undefined);
        throw authenticationFailed(host, port, settings.mechanism, reason);
      },
    }),
  };
}

export function authenticationFailed(
  host: string,
  port: number,
  mechanism: string,
  reason: string,
  cause?: unknown,
): KafkaError {
  const text = `Kafka broker ${addressText({ host, port })} rejected the ${mechanism} authentication: ${reason}`;
  return new KafkaError('SASL_AUTHENTICATION_FAILED', text, { cause });
}

/** kafkajs expects a length prefix in both directions. */
function exchange(message: string) {
  const bytes = Buffer.from(message, 'utf8');
  const framed = Buffer.alloc(4 + bytes.length);
  framed.writeInt32BE(bytes.length);
  bytes.copy(framed, 4);
  return {
    request: { encode: () => Promise.resolve(framed) },
    response: {
      decode: (response: Buffer) => Promise.resolve(response.subarray(4)),
      parse: (response: Buffer) => Promise.resolve(response),
    },
  };
}
