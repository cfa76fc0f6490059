/** A broker decides how often a client hashes its password, in a thread that nothing can end. */
import { randomBytes } from 'node:crypto';
import { readConnectionSettings } from '../../../packages/kafka-client/src/network/client-config';
import { KafkaConnection } from '../../../packages/kafka-client/src/network/kafkajs-connection';
import { fakeBroker, type SaslServer } from './fake-broker';

const requiring =
  (iterations: string): (() => SaslServer) =>
  () =>
  (message) => {
    const nonce = /r=([^,]*)/.exec(message.toString())?.[1] as string;
    return Buffer.from(`r=${nonce}broker,s=${randomBytes(16).toString('base64')},i=${iterations}`);
  };

test.each(['SCRAM-SHA-256', 'SCRAM-SHA-512'])(
  '%s: a broker that requires countless iterations is rejected at once',
  async (mechanism) => {
    for (const iterations of ['100001', '2147483647', '9'.repeat(400)]) {
      const broker = await fakeBroker({ sasl: { [mechanism]: requiring(iterations) } });
      const settings = readConnectionSettings({
        'bootstrap.servers': broker.server,
        'security.protocol': 'SASL_PLAINTEXT',
        'sasl.mechanism': mechanism,
        'sasl.jaas.config':
          'org.apache.kafka.common.security.scram.ScramLoginModule required username="u" password="p";',
      });
      const connection = new KafkaConnection({ host: '127.0.0.1', port: broker.port }, settings);
      await expect(connection.open()).rejects.toMatchObject({
        code: 'SCRAM_ITERATIONS',
        retriable: false,
        message: expect.stringMatching(
          /^Kafka broker 127\.0\.0\.1:\d+ requires the password to be hashed (\d+|countless) times; the limit is 100000 \(SCRAM/,
        ) as unknown,
      });
      await broker.close();
    }
  },
);
