/** The newest records of a connector's topic, through its converters. Any worker of the group answers. */
import type { TopicRecords } from '@millrace/console';
import type { RecordTexts } from '../../records/record-texts';
import { RestError } from '../http/rest-error';
import { ok, param, wholeNumber, type ConsoleRoute } from '../requests/route';
import type { RestContext } from '../routes/context';

const LIMITS = { fallback: 20, most: 50 };

export function recordRoutes({ herder, secrets }: Pick<RestContext, 'herder' | 'secrets'>): readonly ConsoleRoute[] {
  return [
    {
      method: 'GET',
      path: '/ui/api/connectors/:name/records',
      role: 'operator',
      run: async (call) => {
        const name = param(call, 'name');
        const topic = call.query.get('topic') ?? '';
        if (topic === '') throw new RestError(400, '"topic" must be the name of one of the connector\'s topics');
        const page = await herder().records.newest(
          name,
          topic,
          wholeNumber(call, 'limit', 1, LIMITS.most) ?? LIMITS.fallback,
        );
        // What a converter says of its failure may quote its config.
        const hide = await secrets.inTextsFromAll(herder().reads.connectorInfo(name).config);
        const records = page.records.map(({ partition, offset, at, ...texts }) => ({
          ...{ partition, offset, at },
          ...withErrors(texts, hide),
        }));
        return ok({ ...page, records } satisfies TopicRecords);
      },
    },
  ];
}

function withErrors({ key, value, headers, moreHeaders }: RecordTexts, hide: (text: string) => string): RecordTexts {
  const shown = <T extends RecordTexts['key']>(part: T): T => ({ ...part, error: part.error && hide(part.error) });
  return { key: shown(key), value: shown(value), headers: headers.map(shown), moreHeaders };
}
