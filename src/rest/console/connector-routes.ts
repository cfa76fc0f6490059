/** `GET /ui/api/connectors/NAME`, and validation of changes to its config. */
import { ConnectorPlugins } from '../../cluster/running/connector-plugins';
import { CONFIG_MAP } from '../json/shape';
import { configPatch } from '../requests/connector-request';
import { readDocument } from '../requests/request-body';
import { ok, param, type ConsoleRoute } from '../requests/route';
import { DetailsComputation } from './connector-details';
import type { ConsoleContext } from './console-context';
import { REPORT_PATH } from '../reports/group-reports';
import { publishedSeries } from './panels';
import { validatePatch } from './validate-patch';

export function connectorRoutes(context: ConsoleContext): readonly ConsoleRoute[] {
  const details = new DetailsComputation(context);
  return [
    {
      method: 'GET',
      path: '/ui/api/connectors/:name',
      role: 'reader',
      run: async (call) => ok(await details.of(param(call, 'name'), call.request.headers.authorization ?? null)),
    },
    {
      method: 'PUT',
      path: '/ui/api/connectors/:name/config/validate',
      role: 'reader',
      run: async (call) => {
        const patch = configPatch(await readDocument(call, CONFIG_MAP));
        return ok(await validatePatch(context, call.caller, param(call, 'name'), patch));
      },
    },
    {
      method: 'GET',
      path: `${REPORT_PATH}/:name`,
      role: 'reader',
      forWorkers: true,
      run: (call) => {
        const name = param(call, 'name');
        const { config } = context.herder().reads.record(name);
        const declared = new ConnectorPlugins(context.registry).describe(config)?.console;
        return ok(publishedSeries(context.herder().figures(), name, declared, Date.now()));
      },
    },
  ];
}
