/**
 * The worker's listeners. Their ports open before the worker joins its group. Source: connect-rest §0.4, §1.23, §5.2.
 */
import { forwardRequest, type ForwardRequest } from '../cluster/forwarding/forwarding';
import type { Herder } from '../cluster/herder';
import { servedListeners, type Listener, type ServedListener } from '../config/listeners';
import type { ConfigValidator } from '../config/validation/config-infos';
import type { WorkerConfig } from '../config/worker-config';
import { quoting } from '../logging/line-subject';
import { AUDIT, type LogLevels } from '../logging/log-levels';
import type { Logger } from '../logging/logger';
import { RecentLines } from '../logging/recent-lines';
import type { JvmFigures, JvmState } from '../metrics/jvm-groups';
import { RestMetrics } from '../metrics/rest-metrics';
import type { PluginRegistry } from '../plugins/registry';
import { admittingWorkers, OPEN_ACCESS } from './auth/access';
import { AuditLog } from './auth/audit-log';
import { accessOf } from './auth/create-access';
import { FailedLogins } from './auth/failed-logins';
import { HiddenSecrets } from './auth/hidden-secrets';
import {
  openListenersWarning,
  plainCredentialsWarning,
  uncheckedHostsWarning,
  type BoundListener,
} from './auth/open-listeners';
import type { ReadJaasFile } from './auth/property-file-login';
import { BodyBudget } from './http/body-budget';
import { connectRoutes, createApp } from './app';
import { consoleFiles } from './console/console-files';
import { consolePages } from './console/console-pages';
import { createConsole } from './console/console-routes';
import { GroupHealth } from './health/group-health';
import { reportRoute } from './reports/report-route';
import { callerCheck } from './http/caller-check';
import type { RestContext } from './routes/context';
import { createForwarder } from './routes/forward';
import { GroupLogs } from './routes/group-logs';
import { loggerRoutes } from './routes/loggers';
import { metricsRoute } from './routes/metrics';
import { forwardedMarks, internalProof, workerMarks } from './routes/worker-marks';
import { quickHealth } from './routes/worker';
import { corsHeaders, responseHeaders } from './http/header-rules';
import { httpsOptions, type HttpsOptions, type ReadTls } from './http/https';
import { ConnectionLimit } from './http/connection-limit';
import { ListenerServer } from './http/listener-server';
import { withOpenApi } from './requests/openapi';
import { RareWarnings } from './http/rare-warnings';
import { RestError } from './http/rest-error';
import type { ConsoleRoute } from './requests/route';

/** How long others than `GET /health` wait for a herder that is busy. */
const HEALTH_WAIT_MS = 1_000;

export interface RestServerOptions {
  /** Or a function that returns null until there is one: its worker id may depend on the server's bound port. */
  readonly herder: Herder | (() => Herder | null);
  readonly registry: PluginRegistry;
  readonly validator: ConfigValidator;
  readonly config: Pick<
    WorkerConfig,
    | 'raw'
    | 'listeners'
    | 'adminListeners'
    | 'cors'
    | 'responseHeaders'
    | 'restBodies'
    | 'restConnectionsMax'
    | 'allowedHosts'
    | 'restAuth'
    | 'consoleEnabled'
    | 'consoleDocsUrl'
    | 'groupId'
    | 'topicTrackingEnable'
    | 'advertisedHost'
  >;
  /** Reads the key stores of HTTPS listeners. */
  readonly readTls: ReadTls;
  /** Reads the login modules of HTTP Basic. */
  readonly readJaas: ReadJaasFile;
  readonly levels: LogLevels;
  readonly logger: Logger;
  /** The JVMs of plugins in jars, for metrics. (Default: none) */
  readonly jvms?: () => readonly JvmFigures[];
  /** The same without the series of their MBeans, which are read only for metrics. (Default: none) */
  readonly jvmStates?: () => readonly JvmState[];
  /** Where the logger keeps the lines of connectors. (Default: none are kept) */
  readonly recent?: RecentLines;
  /** Emulated Kafka version and build, shown by `GET /`. */
  readonly version: string;
  readonly commit: string;
  /** Of Millrace itself. */
  readonly millraceVersion: string;
  /** With the files of the console. (Default: those of this build) */
  readonly consoleFolder?: string;
  /** (Default: over HTTP) */
  readonly forward?: ForwardRequest;
  /** Time limit of a request, milliseconds. (Default: 90000) */
  readonly requestLimitMs?: number;
  /** How long `GET /health` waits for the herder, milliseconds. (Default: 10000) */
  readonly healthLimitMs?: number;
}

export interface RestServer {
  /** Opens all listeners and returns them with their bound ports. Rejects with a sentence that names the listener. */
  listen(): Promise<readonly ServedListener[]>;
  /** Accepts no new connections, waits briefly for requests in progress, then closes their connections. */
  close(): Promise<void>;
}

/** Throws ConfigError `WORKER_CONFIG_INVALID` for TLS settings that cannot be used. */
export function createRestServer(options: RestServerOptions): RestServer {
  const herderIfReady = typeof options.herder === 'function' ? options.herder : (): Herder => options.herder as Herder;
  const { restAuth } = options.config;
  const send = options.forward ?? forwardRequest;
  const metrics = new RestMetrics();
  // Users in these lines are words of callers: a placeholder in them would tell which are secrets.
  const warnings = new RareWarnings((message) => options.logger.warn(message, quoting(undefined)));
  const failures = new FailedLogins(metrics, warnings);
  const workers = workerMarks(herderIfReady, send);
  const ofCallers = accessOf(restAuth, options.readJaas, options.logger, failures);
  const access = ofCallers === OPEN_ACCESS ? OPEN_ACCESS : admittingWorkers(ofCallers, workers.isWorker);
  const marks = forwardedMarks(herderIfReady);
  const herder = (): Herder => {
    const found = herderIfReady();
    if (!found) throw new RestError(404, 'Worker is still starting up.');
    return found;
  };
  const { registry, logger, millraceVersion, healthLimitMs = 10_000, recent = new RecentLines() } = options;
  const secrets = new HiddenSecrets(access.hasRoles, options.validator, registry);
  const health = new GroupHealth({
    ...{ herder, registry, secrets, millraceVersion, send: workers.send },
    worker: quickHealth({ herderIfReady, healthLimitMs }, HEALTH_WAIT_MS),
    ...(options.jvmStates && { jvms: options.jvmStates }),
  });
  const logs = new GroupLogs({ herder, secrets, logger, recent, send: workers.send });
  const context: RestContext = {
    ...{ herderIfReady, herder, registry, secrets, health, logs, healthLimitMs },
    validator: options.validator,
    levels: options.levels,
    logger: options.logger,
    forward: createForwarder(send, undefined, marks.mark, async () => await herderIfReady()?.readBack()),
    metrics,
    ...(options.jvms && { jvms: options.jvms }),
    version: options.version,
    commit: options.commit,
    startedAt: Date.now(),
  };
  const { consoleEnabled, consoleDocsUrl: docsUrl, groupId, topicTrackingEnable: tracksTopics } = options.config;
  const { accepts } = access;
  const { consoleFolder } = options;
  const ui = consoleEnabled
    ? createConsole({ ...context, accepts, send: workers.send, millraceVersion, groupId, tracksTopics, docsUrl })
    : null;
  const consoleRoutes = (hasLoggers: boolean): readonly ConsoleRoute[] => ui?.routes(hasLoggers) ?? [];
  const pages = consoleEnabled ? { pages: consolePages(consoleFiles(consoleFolder)) } : {};
  const { cors, responseHeaders: rules, raw, listeners, adminListeners } = options.config;
  const { allowedHosts, advertisedHost, restConnectionsMax } = options.config;
  const served = servedListeners(listeners, adminListeners);
  const limits = {
    logger: options.logger,
    requestLimitMs: options.requestLimitMs ?? 90_000,
    bodies: new BodyBudget(options.config.restBodies),
    ...(access === OPEN_ACCESS ? {} : { internalBodies: new BodyBudget(options.config.restBodies) }),
    workerBodies: {
      budget: new BodyBudget(options.config.restBodies),
      isProven: internalProof(herderIfReady),
    },
    access,
    audit: new AuditLog(
      options.logger.child({}, AUDIT),
      marks.isForwarded,
      // Without a herder no request changes anything.
      () => herderIfReady()?.requiresSignatures ?? true,
    ),
  };
  // As in Java, a separate admin listener has neither CORS nor configured response headers.
  const everywhere = [...(cors ? [corsHeaders(cors)] : []), ...(rules.length > 0 ? [responseHeaders(rules)] : [])];
  const connect = connectRoutes(context);
  const admin = loggerRoutes(context);
  const report = reportRoute(async () => await health.ownReport());
  const routes = {
    both: [...withOpenApi([...connect, ...admin], options.version), report, ...consoleRoutes(true)],
    connect: [...withOpenApi(connect, options.version), report, ...consoleRoutes(false)],
    // Scrapers often have access only to the admin listener.
    admin: [...admin, metricsRoute(context)],
  };
  // Invalid settings abort startup before any port is opened.
  const tls = new Map<Listener, HttpsOptions>();
  for (const listener of served) {
    const kind = listener.serves.includes('connect') ? 'listeners' : 'admin.listeners';
    if (listener.protocol === 'https') tls.set(listener, httpsOptions(raw, kind, options.readTls));
  }
  const servers: ListenerServer[] = [];
  const opened: BoundListener[] = [];

  async function close(): Promise<void> {
    ui?.history.stop();
    await Promise.all(servers.splice(0).map(async (server) => await server.close()));
  }

  async function open(listener: ServedListener): Promise<ServedListener> {
    const [only = 'connect', more] = listener.serves;
    const checkCaller = callerCheck({
      allowed: allowedHosts,
      cors,
      ownNames: [listener.host, advertisedHost],
      boundTo: () => server.address,
    });
    const first = only === 'admin' ? [] : everywhere;
    const app = createApp(
      routes[more ? 'both' : only],
      { ...limits, checkCaller, ...(only === 'admin' ? {} : pages) },
      first,
    );
    const server: ListenerServer = new ListenerServer(listener, tls.get(listener) ?? null, app, {
      limit: new ConnectionLimit(restConnectionsMax, metrics, warnings),
      onCertificateRejected: (remoteAddress, reason) =>
        failures.report('certificate', remoteAddress, `the client certificate is rejected (${reason})`),
    });
    const port = await server.open();
    servers.push(server);
    const https = tls.get(listener)?.server;
    opened.push({
      url: `${listener.protocol}://${listener.host.includes(':') ? `[${listener.host}]` : listener.host}:${port}`,
      host: listener.host,
      address: server.address,
      requiresCertificate: https?.requestCert === true && https.rejectUnauthorized === true,
    });
    return { ...listener, port };
  }

  return {
    listen: async () => {
      try {
        const bound: ServedListener[] = [];
        ui?.history.start();
        for (const listener of served) bound.push(await open(listener));
        const atStart = [
          access.admitsEveryone ? openListenersWarning(opened) : null,
          uncheckedHostsWarning(opened, allowedHosts),
          accepts.length > 0 ? plainCredentialsWarning(opened) : null,
        ];
        for (const warning of atStart) if (warning !== null) options.logger.warn(warning);
        return bound;
      } catch (error) {
        await close();
        throw error;
      }
    },
    close,
  };
}
