/** Installed plugins, their config keys, and validation. Source: connect-rest §1.19 to §1.21. */
import { hasPlaceholder } from '../../config/providers/placeholders';
import type { Checks } from '../../config/validation/config-infos';
import { valueOf } from '../../config/validation/entry';
import { ValidationError } from '../../config/validation/validation-error';
import { isConnectError } from '@millrace/sdk';
import { versionChoosing } from '../../plugins/choose-plugin';
import type { PluginDescription } from '../../plugins/registry';
import type { Caller } from '../auth/access';
import { forbidden } from '../auth/access-error';
import { configMap } from '../requests/connector-request';
import type { RestContext } from './context';
import { CONFIG_MAP } from '../json/shape';
import { readDocument } from '../requests/request-body';
import { RestError } from '../http/rest-error';
import { encodeSegment } from '../requests/request-path';
import { flag, ok, param, type Call, type Route, type RouteDoc } from '../requests/route';

const withoutSuffix = (name: string): string => name.replace(/(?<=.)Connector$/, '');

/** Its URL without other parameters than the version, which select nothing. */
function schemaId(call: Call): string {
  const version = call.query.get('version');
  const suffix = version === null ? '' : `?version=${encodeURIComponent(version)}`;
  return `${call.base}/connector-plugins/${encodeSegment(param(call, 'plugin'))}/schema${suffix}`;
}

/** As in Java, every failure is a 500 whose message starts with the Java class, or else with the error's name. */
export function validationProblem(error: unknown): RestError {
  let name = 'Error';
  if (error instanceof ValidationError) name = error.javaClass;
  else if (isConnectError(error)) name = error.javaClass;
  else if (error instanceof Error) name = error.name;
  const message = error instanceof Error ? error.message : String(error);
  if (message.startsWith('Request timed out')) return new RestError(500, message.replace(/\.$/, ''), { cause: error });
  return new RestError(500, message === '' ? name : `${name}: ${message}`, { cause: error });
}

/**
 * A config may make a worker connect to any host, with files and credentials of its own or of a stored connector: only
 * for callers that may also create connectors.
 */
export const checksFor = ({ role }: Caller): Checks => (role === 'admin' ? 'all' : 'keys');

/** States that only the keys were checked. Java's clients do not read it. */
const CHECKS_HEADER = 'Millrace-Validation';

const VERSION: NonNullable<RouteDoc['query']> = [
  { name: 'version', description: 'A version or a range of versions. (Default: the latest)' },
];
const HINTS: NonNullable<RouteDoc['query']> = [
  {
    name: 'hints',
    description: 'true: definitions have the member `hints`, for forms: valid values, required keys. (Default: false)',
  },
];

/** Where each plugin is, what runs it, and how a config chooses it. */
function places(all: readonly PluginDescription[]): (plugin: PluginDescription) => object {
  const same = new Map<string, PluginDescription[]>();
  const keyOf = (plugin: PluginDescription): string => `${plugin.type} ${plugin.class}`;
  for (const plugin of all) same.set(keyOf(plugin), [...(same.get(keyOf(plugin)) ?? []), plugin]);
  return (plugin) => {
    const selectedBy = versionChoosing(same.get(keyOf(plugin)) ?? [], plugin);
    return {
      ...{ location: plugin.location, runs_in: plugin.java === true ? 'jvm' : 'node' },
      ...(selectedBy !== undefined && { selected_by: selectedBy }),
    };
  };
}

export function pluginRoutes(context: RestContext): readonly Route[] {
  return [
    {
      method: 'GET',
      path: '/connector-plugins',
      role: 'reader',
      doc: {
        id: 'listPlugins',
        summary: 'Installed plugins',
        query: [
          { name: 'connectorsOnly', description: 'false: also list converters and other plugins. (Default: true)' },
          {
            name: 'locations',
            description:
              'true: each has `location`, the folder or jar that it is in, or `built-in`; `runs_in`; and `selected_by`, what the setting of its version has to be for it (null: none is needed; absent: another plugin has the same version). (Default: false)',
          },
        ],
        answers: { 200: ['The plugins', 'Plugins'] },
      },
      run: (call) => {
        const connectorsOnly = flag(call, 'connectorsOnly') ?? true;
        const withLocations = flag(call, 'locations') ?? false;
        const all = context.registry.list();
        const placeOf = withLocations ? places(all) : () => ({});
        const shown = all
          .filter(({ type }) => !connectorsOnly || type === 'sink' || type === 'source')
          .map((plugin) => ({
            class: plugin.class,
            type: plugin.type,
            ...(plugin.version === 'undefined' ? {} : { version: plugin.version }),
            ...placeOf(plugin),
          }));
        // In several places: Java lists it once.
        return ok([...new Map(shown.map((plugin) => [JSON.stringify(plugin), plugin])).values()]);
      },
    },
    {
      method: 'GET',
      path: '/connector-plugins/:plugin/config',
      role: 'reader',
      doc: {
        id: 'getPluginConfig',
        summary: 'Config keys of a plugin',
        query: [...VERSION, ...HINTS],
        answers: { 200: ['The keys', 'ConfigKeys'] },
      },
      run: async (call) => {
        const version = call.query.get('version');
        const withHints = flag(call, 'hints') ?? false;
        return ok(await context.validator.definitions(param(call, 'plugin'), version, withHints));
      },
    },
    {
      method: 'GET',
      path: '/connector-plugins/:plugin/schema',
      role: 'reader',
      doc: {
        id: 'getPluginSchema',
        summary: "JSON Schema (draft 7) of a connector's documents, or of another plugin's settings, for editors",
        query: VERSION,
        answers: { 200: ['The schema', 'Document'] },
      },
      run: async (call) => {
        const schema = await context.validator.schema(param(call, 'plugin'), call.query.get('version'));
        return ok({ $id: schemaId(call), ...schema });
      },
    },
    {
      method: 'PUT',
      path: '/connector-plugins/:plugin/config/validate',
      role: 'reader',
      doc: {
        id: 'validateConfig',
        summary: 'Validate a connector config without storing it',
        body: 'GivenConfig',
        query: HINTS,
        answers: {
          200: [
            'The keys with their errors. With the header `Millrace-Validation: keys`, for callers without the role admin, only the keys were checked: the worker connected to nothing and read no files',
            'Validation',
          ],
        },
      },
      run: async (call) => {
        const plugin = param(call, 'plugin');
        const config = configMap(await readDocument(call, CONFIG_MAP));
        const included = valueOf(config, 'connector.class');
        if (included != null && !withoutSuffix(included).endsWith(withoutSuffix(plugin))) {
          throw new RestError(400, `Included connector type ${included} does not match request type ${plugin}`);
        }
        context.secrets.requireWhole(config);
        // Their values are not checked for other callers, who would take such a config for a valid one.
        if (
          call.caller.role !== 'admin' &&
          Object.values(config).some((value) => value !== null && hasPlaceholder(value))
        )
          throw forbidden('Values of config providers can only be validated with the role admin', call.caller.user);
        const checks = checksFor(call.caller);
        try {
          const infos = await context.validator.validate(config, checks, flag(call, 'hints') ?? false);
          return { ...ok(infos), ...(checks === 'keys' && { headers: { [CHECKS_HEADER]: checks } }) };
        } catch (error) {
          throw validationProblem(error);
        }
      },
    },
  ];
}
