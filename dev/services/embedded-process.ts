/**
 * The program that `startEmbedded` runs: a broker with options from the first argument, as JSON. Prints one line when
 * it accepts connections.
 */
import { startEmbeddedBroker, type EmbeddedBrokerOptions } from '../../packages/embedded/src';

void startEmbeddedBroker(JSON.parse(process.argv[2] as string) as EmbeddedBrokerOptions).then(({ bootstrapServers }) =>
  console.log(`serving at ${bootstrapServers}`),
);
