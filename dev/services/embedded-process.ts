/**
 * What `startEmbedded` runs: a broker with the options in the first argument, as JSON. The line it prints says that it
 * serves.
 */
import { startEmbeddedBroker, type EmbeddedBrokerOptions } from '../../packages/embedded/src';

void startEmbeddedBroker(JSON.parse(process.argv[2] as string) as EmbeddedBrokerOptions).then(({ bootstrapServers }) =>
  console.log(`serving at ${bootstrapServers}`),
);
