/**
 * `npm run emulator:analytics -- --port N [--host H] [--data-dir D] [--database NAME] [--control]`: prints the
 * cluster's URL when it is ready.
 */
import { parseArgs } from 'node:util';
import { startAnalyticsEmulator } from './emulator';

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      port: { type: 'string', default: '0' },
      host: { type: 'string', default: '127.0.0.1' },
      'data-dir': { type: 'string' },
      database: { type: 'string', default: 'demo' },
      control: { type: 'boolean', default: false },
    },
  });
  const port = Number(values.port);
  // The storage uses the next three ports.
  if (!Number.isInteger(port) || port < 0 || port > 65_532) throw new Error(`--port ${values.port} is not a port`);
  const emulator = await startAnalyticsEmulator({
    port,
    host: values.host,
    database: values.database,
    control: values.control,
    ...(values['data-dir'] !== undefined && { dataDir: values['data-dir'] }),
  });
  process.stdout.write(`${emulator.url}\n`);
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => {
      void emulator.stop().then(() => process.exit(0));
    });
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
