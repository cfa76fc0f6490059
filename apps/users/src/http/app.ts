/** The HTTP interface: two routes for users and two for health checks. */
import express, {
  type ErrorRequestHandler,
  type Express,
  type Request,
  type RequestHandler,
  type Response,
} from 'express';
import { maskEmail, type Log } from '../logging/log';
import { BadUserError, parseUser } from '../user/parse-user';
import { emailProblem, encodeUser } from '../user/user';
import { StoreRefusedError, StoreUnavailableError, type UserStore } from '../user/user-store';
import { hostCheck, isFromAnotherSite } from './browser-checks';
import { BodyError, ClientGoneError, readBody } from './read-body';
import { requestLog } from './request-log';
import { sendEmpty, sendError, sendErrorAndClose, sendText } from './send';

interface AppOptions {
  readonly users: UserStore;
  /** Whether the store responded recently. */
  readonly isReady: () => boolean;
  readonly maxBodyBytes: number;
  /** Names of the program; null: hosts are not checked. */
  readonly allowedHosts: readonly string[] | null;
  readonly log: Log;
}

const MAX_URL_BYTES = 8_192;
// eslint-disable-next-line no-control-regex
const CONTROL = /[\u0000-\u001f\u007f]/g;

export function createApp({ users, isReady, maxBodyBytes, allowedHosts, log }: AppOptions): Express {
  const app = express();
  const isAllowed = hostCheck(allowedHosts);
  const rejectOtherHosts: RequestHandler = (req, res, next) => {
    if (isAllowed(req.headers.host)) next();
    else sendErrorAndClose(req, res, 403, 'unknown host; add it to ALLOWED_HOSTS');
  };
  app.disable('x-powered-by').disable('etag').enable('strict routing').enable('case sensitive routing');
  app.use(requestLog(log), rejectOtherHosts, rejectLongUrls);

  app.get('/healthz', (_req, res) => sendText(res, 200, 'ok\n'));
  app.get('/readyz', (_req, res) => (isReady() ? sendText(res, 200, 'ready\n') : sendError(res, 503, 'not ready')));

  app.post('/', rejectOtherSites, async (req, res) => {
    const user = parseUser(await readBody(req, maxBodyBytes));
    res.locals['email'] = user.email;
    await users.save(user);
    sendEmpty(res, 200);
  });
  app.all('/', allowOnly('POST'));

  app.get('/:email', async (req, res) => {
    const { email } = req.params;
    res.locals['email'] = email;
    // An invalid e-mail cannot have been stored.
    const user = emailProblem(email) === null ? await users.find(email) : null;
    if (user) sendText(res, 200, encodeUser(user));
    else sendError(res, 404, `user does not exist ${email.replace(CONTROL, '\ufffd')}`);
  });
  app.all('/:email', allowOnly('GET, HEAD'));

  app.use((_req, res) => sendError(res, 404, '404 page not found'));
  app.use(handleErrors(log));
  return app;
}

function rejectLongUrls(req: Request, res: Response, next: () => void): void {
  if (req.url.length <= MAX_URL_BYTES) next();
  else sendErrorAndClose(req, res, 414, 'request URL too long');
}

function rejectOtherSites(req: Request, res: Response, next: () => void): void {
  if (isFromAnotherSite(req)) sendErrorAndClose(req, res, 403, 'not for pages of other sites');
  else next();
}

/** An empty body, like the original's, plus the `Allow` header that RFC 9110 requires. */
function allowOnly(methods: string): RequestHandler {
  return (req, res) => sendEmpty(res, req.method === 'OPTIONS' ? 204 : 405, { Allow: methods });
}

function handleErrors(log: Log): ErrorRequestHandler {
  // Express recognizes an error handler by its four parameters.
  return (error: unknown, req, res, _next) => {
    const requestId: unknown = res.locals['requestId'];
    if (error instanceof ClientGoneError) return void res.destroy();
    if (res.headersSent) {
      log.error({ requestId, err: error }, 'failed after the response had started');
      return void res.destroy();
    }
    if (error instanceof BodyError) return sendErrorAndClose(req, res, error.status, error.message);
    if (error instanceof BadUserError) return sendError(res, 400, error.message);
    if (error instanceof URIError) return sendError(res, 400, 'invalid email encoding');
    if (error instanceof StoreUnavailableError) {
      log.debug({ requestId, cause: String(error.cause) }, error.message);
      return sendError(res, 503, 'service unavailable', { 'Retry-After': '1' });
    }
    if (error instanceof StoreRefusedError)
      log.error({ requestId, key: `user:${maskEmail(error.email)}`, cause: String(error.cause) }, error.message);
    else log.error({ requestId, err: error }, 'unexpected error');
    sendError(res, 500, 'internal error');
  };
}
