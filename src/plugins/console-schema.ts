/** What a manifest may declare for people: `console` and `signals` of a plugin. */
import type { ConnectorConsole, PanelCondition, PanelText } from '@millrace/sdk';

const text = (maxLength: number) => ({ type: 'string', minLength: 1, maxLength });
const list = (items: object, maxItems: number) => ({ type: 'array', items, maxItems });
const object = (required: readonly string[], properties: Record<string, object>) => ({
  ...{ type: 'object', required, properties, additionalProperties: false },
});
const number = { type: 'number' };
const TITLE = text(80);
const SENTENCE = text(500);
/** Of figures; those of metrics and labels are Prometheus's. */
const FIGURE = { type: 'string', pattern: '^[A-Za-z][A-Za-z0-9]{0,39}$' };
const METRIC = { type: 'string', maxLength: 200, pattern: '^[a-zA-Z_:][a-zA-Z0-9_:]*$' };
const LABEL = { type: 'string', maxLength: 200, pattern: '^[a-zA-Z_][a-zA-Z0-9_]*$' };
const NOUN = { ...list(text(40), 2), minItems: 2 };
const CONDITION = {
  type: 'object',
  maxProperties: 10,
  additionalProperties: { anyOf: [number, text(250), object([], { above: number, below: number })] },
};

const PANEL = object(['title'], {
  title: TITLE,
  figures: {
    type: 'object',
    maxProperties: 50,
    propertyNames: FIGURE,
    additionalProperties: object(['metric'], {
      metric: METRIC,
      labels: { type: 'object', maxProperties: 10, propertyNames: LABEL, additionalProperties: { type: 'string' } },
      equals: number,
      label: LABEL,
      combine: { enum: ['largest', 'smallest', 'sum'] },
      unit: { enum: ['count', 'bytes', 'seconds', 'percent', 'boolean', 'hex64'] },
      noun: NOUN,
    }),
  },
  states: list(object(['text'], { when: CONDITION, text: SENTENCE }), 20),
  notices: list(
    object(['kind', 'title', 'text'], {
      ...{ kind: { enum: ['failed', 'degraded'] }, title: TITLE, when: CONDITION, text: SENTENCE },
    }),
    20,
  ),
  facts: list(object(['title', 'figure'], { title: TITLE, figure: FIGURE, unknown: TITLE }), 30),
  progress: object(['label', 'percent'], {
    ...{ label: LABEL, percent: METRIC, count: METRIC, noun: NOUN, while: CONDITION },
  }),
});

export const CONSOLE_SCHEMA = object([], {
  panels: list(PANEL, 10),
  effects: object([], {
    ...{ stop: SENTENCE, restart: SENTENCE, delete: SENTENCE, resetOffsets: SENTENCE, changeOffsets: SENTENCE },
    deleteStatement: object(['text'], {
      text: SENTENCE,
      onlyWith: { type: 'object', maxProperties: 10, additionalProperties: { type: 'string' } },
    }),
  }),
});

export const SIGNALS_SCHEMA = list(
  object(['type', 'description'], { type: text(256), description: SENTENCE, example: { type: 'object' } }),
  50,
);

/** The first name of a figure that its panel does not have, as the end of a sentence about the manifest; null: none. */
export function unknownFigure({ panels = [] }: ConnectorConsole): string | null {
  for (const [i, { figures = {}, states = [], notices = [], facts = [], progress }] of panels.entries()) {
    const texts: readonly PanelText[] = [...states, ...notices];
    const conditions: readonly (PanelCondition | undefined)[] = [...texts.map(({ when }) => when), progress?.while];
    const named = [
      ...facts.map(({ figure }) => figure),
      ...texts.flatMap(({ text: template }) => [...template.matchAll(/\{(\w*)\}/g)].map(([, name = '']) => name)),
      ...conditions.flatMap((condition) => Object.keys(condition ?? {})),
    ];
    const missing = named.find((name) => !Object.hasOwn(figures, name));
    if (missing !== undefined) return `panels[${i}] has no figure "${missing}"`;
  }
  return null;
}
