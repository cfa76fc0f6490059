/** What changed lately, for the console. Secrets are hidden from every caller. */
import type { RecordedChange } from '../../cluster/entities';
import type { RestContext } from '../routes/context';
import { ok, type ConsoleRoute } from '../requests/route';
import type { Change, Changes } from '@millrace/console';

/** The change as every caller may see it. */
export type ShowChange = (change: RecordedChange) => Promise<Change>;

export function showChange({ secrets }: Pick<RestContext, 'secrets'>): ShowChange {
  return async ({ at, kind, subject, task, cause, config }) => {
    const { by, user, detail } = cause;
    const shown = { at, kind, subject, task, cause: { by, user, detail } };
    if (config === null) return { ...shown, keys: [] };
    const [before, after] = await Promise.all(
      [config.before, config.after].map((values) => secrets.shownToAll(values, values['connector.class'])),
    );
    return {
      ...shown,
      keys: config.keys.map((key) => ({ key, before: before?.[key] ?? null, after: after?.[key] ?? null })),
    };
  };
}

export function changeRoutes(context: RestContext): readonly ConsoleRoute[] {
  const show = showChange(context);
  return [
    {
      method: 'GET',
      path: '/ui/api/changes',
      role: 'reader',
      run: async (call) => {
        const changes = context.herder().history.list(call.query.get('connector') ?? undefined);
        const since = changes.at(-1)?.at ?? null;
        return ok({ since, changes: await Promise.all(changes.map(show)) } satisfies Changes);
      },
    },
  ];
}
