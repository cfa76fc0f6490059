/** Dead letters of a connector: the newest, and sending them back. Any worker of the group answers. */
import { RestError } from '../http/rest-error';
import { plainValue, type Plain } from '../json/plain-value';
import { REPLAY } from '../json/shape';
import { readTree } from '../requests/request-body';
import { ok, param, wholeNumber, type Call, type ConsoleRoute } from '../requests/route';
import type { RestContext } from '../routes/context';
import type { DeadLetterGroups, DeadLetters, ReplayRequest, ReplayResult } from '@millrace/console';

const LIMITS = { fallback: 50, most: 200 };
/** Of one replay. */
const MAX_LETTERS = 500;

export function deadLetterRoutes({
  herder,
  secrets,
}: Pick<RestContext, 'herder' | 'secrets'>): readonly ConsoleRoute[] {
  return [
    {
      method: 'GET',
      path: '/ui/api/connectors/:name/dead-letters',
      // They contain data of records.
      role: 'operator',
      run: async (call) => {
        const name = param(call, 'name');
        const page = await herder().deadLetters.list(
          name,
          wholeNumber(call, 'limit', 1, LIMITS.most) ?? LIMITS.fallback,
          call.query.get('group') || null,
        );
        // What a plugin says of a failure may quote its config.
        const hide = await secrets.inTextsFromAll(herder().reads.connectorInfo(name).config);
        const letters = page.letters.map((letter) => {
          const { message } = letter.failure;
          return { ...letter, failure: { ...letter.failure, message: message && hide(message) } };
        });
        return ok({ ...page, letters } satisfies DeadLetters);
      },
    },
    {
      method: 'GET',
      path: '/ui/api/connectors/:name/dead-letters/groups',
      role: 'operator',
      run: async (call) => {
        const name = param(call, 'name');
        const { groups, ...page } = await herder().deadLetters.groups(name);
        const hide = await secrets.inTextsFromAll(herder().reads.connectorInfo(name).config);
        const shown = groups.map(({ message, pattern, ...group }) => ({
          ...{ ...group, message: message && hide(message), pattern: pattern && hide(pattern) },
        }));
        return ok({ ...page, groups: shown } satisfies DeadLetterGroups);
      },
    },
    {
      method: 'POST',
      path: '/ui/api/connectors/:name/dead-letters/replay',
      role: 'operator',
      run: async (call) => {
        const { letters } = await replayRequest(call);
        const wanted = letters.map(({ partition, offset }) => ({ partition, offset: Number(offset) }));
        const name = param(call, 'name');
        const outcomes = await herder().deadLetters.replay(name, wanted);
        // What a plugin says of a failure may quote its config.
        const hide = await secrets.inTextsFromAll(herder().reads.connectorInfo(name).config);
        const results = letters.map((letter, at) => {
          const { error = null, failedAgain = null } = outcomes[at] ?? {};
          return { ...letter, error, failedAgain: failedAgain && hide(failedAgain) };
        });
        return ok({ results } satisfies ReplayResult);
      },
    },
  ];
}

async function replayRequest(call: Call): Promise<ReplayRequest> {
  const document = await readTree(call, REPLAY);
  const letters = document?.kind === 'object' ? document.members.get('letters') : undefined;
  const entries = letters?.kind === 'array' ? letters.items.map((item) => plainValue(item, Number)) : [];
  if (entries.length === 0 || entries.length > MAX_LETTERS)
    throw new RestError(
      400,
      `A replay needs "letters": from 1 to ${MAX_LETTERS} objects with "partition" and "offset"`,
    );
  return { letters: entries.map(letterOf) };
}

function letterOf(entry: Plain<number>): ReplayRequest['letters'][number] {
  const { partition, offset } = (entry ?? {}) as { readonly [name: string]: unknown };
  const isOffset = typeof offset === 'string' && /^\d{1,15}$/.test(offset);
  if (!isOffset || typeof partition !== 'number' || !Number.isInteger(partition) || partition < 0)
    throw new RestError(
      400,
      'The "partition" of a letter must be a number, and its "offset" the digits of one as text',
    );
  return { partition, offset };
}
