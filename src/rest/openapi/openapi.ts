/** Builds the OpenAPI document from the table of routes. Pure. */
import { requirementOf } from '../auth/required-role';
import { OPERATIONS, type Operation } from './operations';
import { ref, SCHEMAS } from './schemas';
import { ok, type Method, type Resource } from '../requests/route';

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

function parameters(path: string, { query = [] }: Operation): object[] {
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

function operation(method: Method, path: string, described: Operation): object {
  const { id, summary, body, answers, type, internal } = described;
  return {
    operationId: id,
    summary,
    ...(internal ? { 'x-internal': true } : { 'x-required-role': requirementOf(method, path) }),
    parameters: parameters(path, described),
    ...(body ? { requestBody: { required: true, ...content(body) } } : {}),
    responses: {
      ...Object.fromEntries(
        Object.entries(answers).map(([status, [description, schema]]) => [
          status,
          { description, ...(schema ? content(schema, type) : {}) },
        ]),
      ),
      default: { description: 'An error', ...content('Error') },
    },
  };
}

/** `version` is the emulated Kafka version, which clients rely on. */
function openApiDocument(routes: readonly Resource[], version: string): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const { path, methods } of routes) {
    const item = (paths[path.replace(PARAMETER, '{$1}')] ??= {});
    for (const method of Object.keys(methods) as Method[]) {
      const described = OPERATIONS[`${method} ${path}`];
      if (described) item[method.toLowerCase()] = operation(method, path, described);
    }
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
export function withOpenApi(routes: readonly Resource[], version: string): readonly Resource[] {
  const described: Resource = {
    path: '/openapi.json',
    anyType: ['GET'],
    methods: { GET: () => ok(openApiDocument(all, version)) },
  };
  const all: readonly Resource[] = [...routes, described];
  return all;
}
