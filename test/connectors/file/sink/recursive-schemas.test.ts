/** Values of schemas that contain themselves, in the lines of the file sink. */
import { MAX_NESTING, type ConnectValue } from '@millrace/sdk';
import { jsonText } from '../../../../connectors/file/src/sink/json-text';
import { valueText } from '../../../../connectors/file/src/sink/record-line';
import { chain, NODE, recursiveStruct } from '../../../helpers/recursive-schemas';

const deepest = chain(MAX_NESTING) as unknown as ConnectValue;
const tooDeep = chain(MAX_NESTING + 1) as unknown as ConnectValue;
const refused = expect.objectContaining({ code: 'VALUE_TOO_DEEP' }) as Error;

const unending = recursiveStruct((of) => [['next', of]], { default: { next: null } });

test('json', () => {
  expect(JSON.parse(jsonText(NODE, deepest))).toEqual(deepest);
  expect(() => jsonText(NODE, tooDeep)).toThrow(refused);
  // Each null is the default, which has another one.
  expect(() => jsonText(unending, { next: null })).toThrow(refused);
});

test('string', () => {
  expect(valueText(NODE, chain(2) as unknown as ConnectValue)).toBe('Struct{id=1,next=Struct{id=2}}');
  expect(valueText(NODE, deepest)).toContain('Struct{id=1000}');
  expect(() => valueText(NODE, tooDeep)).toThrow(refused);
});
