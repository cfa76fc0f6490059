#!/usr/bin/env node
/** The program: reads settings, connects, serves, and stops on a signal. */
import { CacheConnection, NotConnectedError } from './cache/connection';
import { createRedisUserStore } from './cache/redis-user-store';
import { createApp } from './http/app';
import { startServer } from './http/server';
import { createLog, type Log } from './logging/log';
import { readSettings, SettingsError, type Settings } from './settings/settings';

async function run(settings: Settings, log: Log): Promise<void> {
  const connection = new CacheConnection(settings.cache, log);
  let isStopping = false;
  const onSignal = (signal: NodeJS.Signals, stop: () => Promise<void>): void => {
    if (isStopping) process.exit(1);
    isStopping = true;
    log.info({ signal }, 'stopping');
    void stop().then(() => {
      log.info('stopped');
      process.exit(0);
    });
  };
  let stop = async (): Promise<void> => await connection.stop();
  for (const name of ['SIGTERM', 'SIGINT'] as const) process.on(name, (signal) => onSignal(signal, () => stop()));

  await connection.start();
  const app = createApp({
    users: createRedisUserStore(connection, settings.cache.timeoutMs),
    isReady: () => connection.isReady,
    maxBodyBytes: settings.maxBodyBytes,
    allowedHosts: settings.allowedHosts,
    log,
  });
  const server = await startServer(app, settings.host, settings.port);
  stop = async () => {
    await server.stop();
    await connection.stop();
  };
  if (settings.allowedHosts === null)
    log.warn('web pages may reach users by DNS rebinding: set ALLOWED_HOSTS to the names of this program');
  log.info({ host: settings.host, port: server.port }, 'listening');
}

function start(): void {
  let settings: Settings;
  try {
    settings = readSettings(process.env);
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    const log = createLog('info');
    for (const problem of error.problems) log.fatal(problem);
    process.exit(1);
  }
  const log = createLog(settings.logLevel);
  run(settings, log).catch((error: NodeJS.ErrnoException) => {
    // A signal arrived before the cache responded. Its handler exits the process.
    if (error.name === 'AbortError') return;
    if (error instanceof NotConnectedError) log.fatal(error.message);
    else if (error.syscall === 'listen') log.fatal(`cannot listen on ${settings.host}:${settings.port}: ${error.code}`);
    else log.fatal({ err: error }, 'cannot start');
    process.exit(1);
  });
}

start();
