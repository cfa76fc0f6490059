/**
 * The identity provider: cloud metadata, discovery and the client-credentials login. Sources: analytics-sink §5.2,
 * §5.3, §7.3.
 */
import { timingSafeEqual } from 'node:crypto';
import express, { type Request, type Response, type Router } from 'express';
import type { ExpiringTokens } from '../expiring-tokens';

export interface Application {
  readonly tenant: string;
  readonly id: string;
  readonly secret: string;
}

export interface LoginOptions {
  /** Null: no login is required. */
  readonly application: Application | null;
  readonly tokens: ExpiringTokens;
  /** False: `GET /v1/rest/auth/metadata` answers 404, as clusters without it do. */
  readonly metadata: boolean;
}

export function loginRoutes({ application, tokens, metadata }: LoginOptions): Router {
  const router = express.Router();
  const base = (request: Request): string => `${request.protocol}://${request.get('host') ?? ''}`;

  router.get('/v1/rest/auth/metadata', (request, response) => {
    if (!metadata) {
      response.sendStatus(404);
      return;
    }
    response.json({
      AzureAD: {
        LoginEndpoint: base(request),
        LoginMfaRequired: false,
        KustoClientAppId: 'db662dc1-0cfe-4e1c-a843-19a68e65be58',
        KustoClientRedirectUri: 'https://microsoft/kustoclient',
        KustoServiceResourceId: base(request),
        FirstPartyAuthorityUrl: `${base(request)}/f8cdef31-a31e-4b4a-93e4-5f571e91255a`,
      },
    });
  });

  router.get(
    ['/:tenant/.well-known/openid-configuration', '/:tenant/v2.0/.well-known/openid-configuration'],
    (request, response) => {
      const tenant = `${base(request)}/${request.params.tenant}`;
      response.json({
        issuer: tenant,
        authorization_endpoint: `${tenant}/oauth2/authorize`,
        token_endpoint: `${tenant}/oauth2/token`,
        jwks_uri: `${tenant}/discovery/keys`,
        response_types_supported: ['code'],
        subject_types_supported: ['pairwise'],
        id_token_signing_alg_values_supported: ['RS256'],
      });
    },
  );

  const token = (version: 1 | 2) => (request: Request, response: Response) => {
    const refusal = refused(request, application);
    if (refusal !== null) {
      response.status(refusal.status).json({ error: refusal.error, error_description: refusal.description });
      return;
    }
    const seconds = Math.floor(tokens.lifetimeMs / 1_000);
    const grant = { token_type: 'Bearer', access_token: tokens.issue() };
    if (version === 2) response.json({ ...grant, expires_in: seconds, ext_expires_in: seconds });
    else
      response.json({
        ...grant,
        expires_in: String(seconds),
        ext_expires_in: String(seconds),
        expires_on: String(Math.floor(Date.now() / 1_000) + seconds),
        not_before: String(Math.floor(Date.now() / 1_000)),
        resource: form(request).resource ?? '',
      });
  };
  const body = express.urlencoded({ extended: false });
  router.post('/:tenant/oauth2/v2.0/token', body, token(2));
  router.post('/:tenant/oauth2/token', body, token(1));
  return router;
}

function form(request: Request): Record<string, string | undefined> {
  return (request.body ?? {}) as Record<string, string | undefined>;
}

function refused(
  request: Request,
  application: Application | null,
): { status: number; error: string; description: string } | null {
  const { grant_type: grant, client_id: id = '', client_secret: secret = '' } = form(request);
  if (grant !== 'client_credentials')
    return { status: 400, error: 'unsupported_grant_type', description: 'Only client_credentials can be granted' };
  if (application === null) return null;
  // The official SDK can log in at a private host only with tenant `adfs`.
  const tenant = String(request.params.tenant);
  if (tenant !== application.tenant && tenant !== 'adfs')
    return { status: 400, error: 'invalid_request', description: `AADSTS90002: Tenant '${tenant}' not found.` };
  if (id !== application.id)
    return {
      status: 400,
      error: 'unauthorized_client',
      description: `AADSTS700016: Application '${id}' was not found.`,
    };
  if (!sameText(secret, application.secret))
    return { status: 401, error: 'invalid_client', description: 'AADSTS7000215: Invalid client secret provided.' };
  return null;
}

function sameText(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}
