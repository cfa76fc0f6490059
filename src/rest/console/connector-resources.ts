/** `GET /ui/api/connectors/NAME`, and validation of changes to its config. */
import { CONFIG_MAP } from '../json/shape';
import { configPatch } from '../requests/connector-request';
import { readDocument } from '../requests/request-body';
import { ok, param, type Resource } from '../requests/route';
import { DetailsComputation } from './connector-details';
import { REPORT_PATH } from './group-reports';
import type { ConsoleParts } from './overview';
import { publishedSeries } from './published';
import { validatePatch } from './validate-patch';

export function connectorResources(parts: ConsoleParts): readonly Resource[] {
  const { context } = parts;
  const details = new DetailsComputation(parts);
  return [
    {
      path: '/ui/api/connectors/:name',
      methods: {
        GET: async (call) => ok(await details.of(param(call, 'name'), call.request.headers.authorization ?? null)),
      },
    },
    {
      path: '/ui/api/connectors/:name/config/validate',
      methods: {
        PUT: async (call) => {
          const patch = configPatch(await readDocument(call, CONFIG_MAP));
          return ok(await validatePatch(context, call.caller, param(call, 'name'), patch));
        },
      },
    },
    {
      path: `${REPORT_PATH}/:name`,
      methods: {
        GET: (call) => ok(publishedSeries(context.herder().figures(), param(call, 'name'), Date.now())),
      },
    },
  ];
}
