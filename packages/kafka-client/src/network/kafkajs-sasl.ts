/** SASL credentials → the options of kafkajs's authenticator, which implements PLAIN and SCRAM, but not OAUTHBEARER. */
import { excessiveScram } from '@millrace/sdk';
import scram256 from 'kafkajs/src/broker/saslAuthenticator/scram256';
import scram512 from 'kafkajs/src/broker/saslAuthenticator/scram512';
import type Connection from 'kafkajs/src/network/connection';
import { KafkaError } from '../errors';
import type { SaslSettings } from '../security/sasl-config';
import { addressText } from './client-config';

const SEPARATOR = '\u0001';

export function kafkajsSasl(settings: SaslSettings): Connection.KafkajsSasl {
  if (settings.mechanism === 'PLAIN') return { ...settings };
  if (settings.mechanism !== 'OAUTHBEARER') return scram(settings);
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

/** The broker sets how often the password is hashed, in a thread that nothing can end. */
function scram(settings: Exclude<SaslSettings, { mechanism: 'OAUTHBEARER' }>): Connection.KafkajsSasl {
  const { mechanism } = settings;
  const provider = (mechanism === 'SCRAM-SHA-256' ? scram256 : scram512)(settings);
  return {
    mechanism,
    authenticationProvider: (context) => {
      let excess: KafkaError | null = null;
      const authenticator = provider({
        ...context,
        async saslAuthenticate(exchange) {
          const answer = await context.saslAuthenticate(exchange);
          const { i: iterations } = answer as { readonly i?: string };
          const problem = iterations === undefined ? null : excessiveScram(Number.parseInt(iterations, 10));
          if (problem === null) return answer;
          const text = `Kafka broker ${addressText(context)} ${problem} (${mechanism})`;
          throw (excess = new KafkaError('SCRAM_ITERATIONS', text));
        },
      });
      return {
        async authenticate() {
          // The authenticator keeps only the message of an error.
          await authenticator.authenticate().catch((error: unknown) => {
            throw excess ?? error;
          });
        },
      };
    },
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
