/** The routes of Confluent's REST interface. */
import type { Registry } from '../core/registry';
import type { StoredSchema } from '../core/log-records';
import { errors } from '../registry-error';
import {
  contentAnswer,
  flag,
  idOf,
  page,
  registerRequest,
  schemaAnswer,
  schemaSource,
  versionName,
} from './request-fields';
import type { Route, RouteRequest } from './router';
import { settingRoutes } from './setting-routes';

export function routesOf(registry: Registry): readonly Route[] {
  return [
    { method: 'GET', path: '/', run: () => ({}) },
    { method: 'GET', path: '/contexts', run: () => ['.'] },
    ...subjectRoutes(registry),
    ...schemaRoutes(registry),
    ...compatibilityRoutes(registry),
    ...settingRoutes(registry.settings),
  ];
}

const VERSIONS = '/subjects/:subject/versions';
const VERSION = `${VERSIONS}/:version`;

function subjectRoutes(registry: Registry): readonly Route[] {
  const { state, deletions } = registry;
  const version = (request: RouteRequest): StoredSchema =>
    registry.version(subjectOf(request), versionName(request), flag(request, 'deleted'));
  return [
    { method: 'GET', path: '/subjects', run: (request) => page(request, subjectNames(registry, request)) },
    {
      method: 'POST',
      path: '/subjects/:subject',
      run: (request) => {
        const [normalize, deleted] = [flag(request, 'normalize'), flag(request, 'deleted')];
        const found = registry.lookUp(subjectOf(request), schemaSource(request), normalize, deleted);
        return schemaAnswer(inForm(registry, request, found));
      },
    },
    {
      method: 'DELETE',
      path: '/subjects/:subject',
      run: (request) => deletions.deleteSubject(subjectOf(request), flag(request, 'permanent')),
    },
    {
      method: 'GET',
      path: VERSIONS,
      run: (request) => {
        const found = state.versions(subjectOf(request)).filter(isAsked(request));
        if (found.length === 0) throw errors.subjectMissing(subjectOf(request));
        return page(
          request,
          found.map((one) => one.version),
        );
      },
    },
    {
      method: 'POST',
      path: VERSIONS,
      run: async (request) => {
        const { id } = await registry.register(subjectOf(request), registerRequest(request));
        return { id };
      },
    },
    { method: 'GET', path: VERSION, run: (request) => schemaAnswer(inForm(registry, request, version(request))) },
    {
      method: 'DELETE',
      path: VERSION,
      run: (request) => deletions.deleteVersion(subjectOf(request), versionName(request), flag(request, 'permanent')),
    },
    { method: 'GET', path: `${VERSION}/schema`, run: (request) => inForm(registry, request, version(request)).text },
    {
      method: 'GET',
      path: `${VERSION}/referencedby`,
      run: (request) => {
        const { subject, version: number } = version(request);
        const ids = state.referredBy(subject, number).flatMap((one) => (one.deleted ? [] : one.id));
        return [...new Set(ids)].sort((a, b) => a - b);
      },
    },
  ];
}

function schemaRoutes(registry: Registry): readonly Route[] {
  const { state } = registry;
  /** The versions with the id of the request, or the one schema that they share. Throws 40403. */
  const withId = (request: RouteRequest): readonly [StoredSchema, ...StoredSchema[]] => {
    const id = idOf(request);
    const [first, ...others] = state.withId(id ?? 0);
    if (first === undefined) throw errors.idMissing(id ?? 0);
    return [first, ...others];
  };
  const live = (request: RouteRequest): readonly StoredSchema[] =>
    withId(request).filter((one) => flag(request, 'deleted') || !one.deleted);
  return [
    { method: 'GET', path: '/schemas/types', run: () => ['JSON', 'PROTOBUF', 'AVRO'] },
    {
      method: 'GET',
      path: '/schemas',
      run: (request) => {
        const found = subjectNames(registry, request).flatMap((subject) => {
          const versions = state.versions(subject).filter(isAsked(request));
          return flag(request, 'latestOnly') ? versions.slice(-1) : versions;
        });
        return page(request, found).map(schemaAnswer);
      },
    },
    {
      method: 'GET',
      path: '/schemas/ids/:id',
      run: (request) => {
        const answer = contentAnswer(inForm(registry, request, withId(request)[0]));
        return flag(request, 'fetchMaxId') ? { ...answer, maxId: state.lastId } : answer;
      },
    },
    {
      method: 'GET',
      path: '/schemas/ids/:id/schema',
      run: (request) => inForm(registry, request, withId(request)[0]).text,
    },
    {
      method: 'GET',
      path: '/schemas/ids/:id/subjects',
      run: (request) => page(request, [...new Set(live(request).map(({ subject }) => subject))].sort()),
    },
    {
      method: 'GET',
      path: '/schemas/ids/:id/versions',
      run: (request) =>
        page(
          request,
          live(request).map(({ subject, version }) => ({ subject, version })),
        ),
    },
  ];
}

function compatibilityRoutes(registry: Registry): readonly Route[] {
  const test = (request: RouteRequest, isAll: boolean): unknown => {
    const against = isAll ? null : versionName(request);
    const messages = registry.test(subjectOf(request), schemaSource(request), against, flag(request, 'normalize'));
    return { is_compatible: messages.length === 0, ...(flag(request, 'verbose') ? { messages } : {}) };
  };
  const path = '/compatibility/subjects/:subject/versions';
  return [
    { method: 'POST', path, run: (request) => test(request, true) },
    { method: 'POST', path: `${path}/:version`, run: (request) => test(request, false) },
  ];
}

/** As `format` asks. */
function inForm(registry: Registry, { query }: RouteRequest, schema: StoredSchema): StoredSchema {
  return { ...schema, text: registry.textOf(schema, query.get('format')) };
}

const subjectOf = ({ params }: RouteRequest): string => params.subject ?? '';

/** By `deleted` and `deletedOnly`. */
function isAsked(request: RouteRequest): (schema: StoredSchema) => boolean {
  if (flag(request, 'deletedOnly')) return ({ deleted }) => deleted;
  const withDeleted = flag(request, 'deleted');
  return ({ deleted }) => withDeleted || !deleted;
}

function subjectNames({ state }: Registry, request: RouteRequest): readonly string[] {
  const given = request.query.get('subjectPrefix') ?? '';
  // Of all contexts, or of the default one, which is the only one.
  const prefix = given.replace(/^:(?:\*|\.)?:/, '');
  const isShown = isAsked(request);
  const isDeletedOnly = flag(request, 'deletedOnly');
  return state
    .subjectNames()
    .filter((name) => name.startsWith(prefix))
    .filter((name) => (isDeletedOnly ? state.versions(name).every(isShown) : state.versions(name).some(isShown)))
    .sort();
}
