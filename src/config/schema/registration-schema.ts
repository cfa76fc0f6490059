/** JSON Schema of a registration document, around the config. */
import { INITIAL_STATES } from '@millrace/texts/rest-names';
import { TEXT, type JsonSchema } from './key-schema';
import { inAnyCase, PLACEHOLDER } from './text-pattern';

export const REGISTRATION: JsonSchema = {
  type: 'object',
  properties: {
    $schema: {
      description: 'For editors. `millrace apply` leaves it out; POST /connectors refuses it.',
      type: 'string',
    },
    name: {
      description: 'Name of the connector, unique within the group of workers.',
      type: TEXT,
      pattern: String.raw`[^\u0000-\u0020]`,
      patternErrorMessage: 'A connector needs a name.',
    },
    config: { $ref: '#/definitions/config' },
    initial_state: {
      description: 'State in which the connector is created.',
      anyOf: [
        { enum: INITIAL_STATES },
        { type: 'string', pattern: `^(?:${INITIAL_STATES.map(inAnyCase).join('|')})$|${PLACEHOLDER}` },
        { type: 'null' },
      ],
      default: 'RUNNING',
    },
    labels: {
      description: 'For `millrace apply`, which stores them in the config. POST /connectors refuses them.',
      type: ['object', 'null'],
    },
    // The rest of what a worker returns for a connector, which `millrace apply` ignores.
    tasks: true,
    type: true,
  },
  required: ['config'],
  anyOf: [{ required: ['name'] }, { properties: { config: { required: ['name'] } } }],
  additionalProperties: false,
};
