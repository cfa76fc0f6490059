/** Which keys the worker's refusal of a config is about. */
import { refusedKeys } from '../../packages/console/src/config-form/refused-keys';

const KEYS = ['name', 'tasks.max', 'topics', 'topics.regex', 'transforms.a.type', 'key.converter'];
const placed = (message: string): unknown => {
  const { byKey, others } = refusedKeys(message, KEYS);
  return [Object.fromEntries(byKey), others];
};

test('the answer to an invalid config: each line at its key, the rest together', () => {
  const message = [
    'Connector configuration is invalid and contains the following 5 error(s):',
    'Invalid value abc for configuration tasks.max: Not a number of type INT',
    'Invalid value null for configuration tasks.max: Value must be non-null',
    'Missing required configuration "transforms.a.type" which has no default value.',
    'Must configure one of topics or topics.regex',
    'The database is full',
    'You can also find the above list of errors at the endpoint `/connector-plugins/{connectorType}/config/validate`',
  ].join('\n');
  expect(placed(message)).toEqual([
    {
      'tasks.max':
        'Invalid value abc for configuration tasks.max: Not a number of type INT Invalid value null for configuration tasks.max: Value must be non-null',
      'transforms.a.type': 'Missing required configuration "transforms.a.type" which has no default value.',
      'topics.regex': 'Must configure one of topics or topics.regex',
    },
    ['The database is full'],
  ]);
});

test.each([
  ['Connector orders already exists', { name: 'Connector orders already exists' }],
  [
    "Invalid value for configuration 'key.converter': the value failed",
    { 'key.converter': "Invalid value for configuration 'key.converter': the value failed" },
  ],
])('%s', (message, byKey) => {
  expect(placed(message)).toEqual([byKey, []]);
});

test.each(['The worker does not answer', 'Missing required configuration "other.key"', 'name', ''])(
  'about no key of the form: %j',
  (message) => {
    expect(placed(message)).toEqual([{}, message === '' ? [] : [message]]);
  },
);
