/** What actions on a connector mean, in the words of its plugin: an endpoint that Java does not have. */
import type { ConnectorConfig, DeleteStatement } from '@millrace/sdk';
import { ConnectorPlugins } from '../../cluster/running/connector-plugins';
import { ok, param, type Route } from '../requests/route';
import type { RestContext } from './context';

export function actionRoutes({ herder, registry, secrets }: RestContext): readonly Route[] {
  return [
    {
      method: 'GET',
      path: '/connectors/:name/actions',
      role: 'reader',
      doc: {
        id: 'getConnectorActions',
        summary: "What actions on a connector mean, and which signals it accepts, as its plugin's manifest declares",
        answers: { 200: ['The actions', 'Actions'] },
      },
      run: async (call) => {
        const name = param(call, 'name');
        const { config } = herder().reads.connectorInfo(name);
        const plugin = new ConnectorPlugins(registry).describe(config);
        const { stop, restart, resetOffsets, changeOffsets, deleteStatement, ...rest } = plugin?.console?.effects ?? {};
        const shown = await secrets.shownToAll(config, config['connector.class']);
        return ok({
          name,
          effects: {
            ...{ stop: stop ?? null, restart: restart ?? null, delete: rest.delete ?? null },
            ...{ reset_offsets: resetOffsets ?? null, change_offsets: changeOffsets ?? null },
          },
          delete_statement: deleteStatement ? statementOf(deleteStatement, shown) : null,
          signals: plugin?.signals ?? null,
        });
      },
    },
  ];
}

/** Null: it does not apply, or has a value that is not a plain word, such as a placeholder, which could be anything. */
export function statementOf({ text, onlyWith = {} }: DeleteStatement, config: ConnectorConfig): string | null {
  if (Object.entries(onlyWith).some(([key, value]) => (config[key] ?? value) !== value)) return null;
  let isKnown = true;
  const filled = text.replace(/\{([^{}:]+):([^{}]*)\}/g, (_, key: string, preset: string) => {
    const value = config[key] ?? preset;
    isKnown &&= /^[\w.-]{1,128}$/.test(value);
    return value;
  });
  return isKnown ? filled : null;
}
