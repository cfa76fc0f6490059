/** Builds the OpenAPI document from the list of routes. Pure. */
import { ref, SCHEMAS } from './openapi-schemas';
import { ok, type Route } from './route';

const content = (schema: string, type = 'application/json'): object => ({
  content: { [type]: { schema: ref(schema) } },
});
const PARAMETER = /:(\w+)/g;
const PARAMETERS: Readonly<Record<string, string>> = {
  name: "The connector's name, percent-encoded.",
  task: "The task's number, from 0.",
  plugin: 'Class name, simple class name, or simple class name without its kind (`FileStreamSink`).',
  logger: "The logger's name. `root` is all loggers.",
};

function parameters({ path, doc: { query = [] } }: Route): object[] {
  const inPath = [...path.matchAll(PARAMETER)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    description: PARAMETERS[name],
    schema: { type: name === 'task' ? 'integer' : 'string' },
  }));
  const inQuery = query.map(({ name, description, repeated }) => ({
    name,
    in: 'query',
    description,
    schema: repeated ? { type: 'array', items: { type: 'string' } } : { type: 'string' },
  }));
  return [...inPath, ...inQuery];
}

function operation(route: Route): object {
  const { role, textType, doc } = route;
  const { id, summary, body, answers } = doc;
  return {
    operationId: id,
    summary,
    ...(role === 'signature' ? { 'x-internal': true } : { 'x-required-role': role }),
    parameters: parameters(route),
    ...(body ? { requestBody: { required: true, ...content(body) } } : {}),
    responses: {
      ...Object.fromEntries(
        Object.entries(answers).map(([status, [description, schema]]) => [
          status,
          { description, ...(schema ? content(schema, textType?.split(';', 1)[0]) : {}) },
        ]),
      ),
      default: { description: 'An error', ...content('Error') },
    },
  };
}

/** `version` is the emulated Kafka version, which clients rely on. */
function openApiDocument(routes: readonly Route[], version: string): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const route of routes) {
    const item = (paths[route.path.replace(PARAMETER, '{$1}')] ??= {});
    item[route.method.toLowerCase()] = operation(route);
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Kafka Connect REST interface of Millrace',
      version,
      license: { name: 'Apache 2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    paths,
    // Either one, or none: it depends on the worker's settings.
    security: [{}, { basic: [] }, { bearer: [] }],
    components: {
      schemas: SCHEMAS,
      securitySchemes: {
        basic: { type: 'http', scheme: 'basic' },
        bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
      },
    },
  };
}

/** The routes, and one that returns the document about all of them, including itself. */
export function withOpenApi(routes: readonly Route[], version: string): readonly Route[] {
  const described: Route = {
    method: 'GET',
    path: '/openapi.json',
    role: 'reader',
    anyType: true,
    doc: { id: 'openApi', summary: 'This document', answers: { 200: ['OpenAPI 3.1', 'Document'] } },
    run: () => ok(openApiDocument(all, version)),
  };
  const all: readonly Route[] = [...routes, described];
  return all;
}
