/**
 * Builds a response that has the same error code in every place, from the layouts alone. Its arrays have one element
 * for each element of the corresponding array of the request, with the same names and numbers.
 */
import { includesVersion, type Api, type Field } from '@millrace/kafka-protocol';

type Message = Record<string, unknown>;

const isStructs = (field: Field): field is Field & readonly [string, readonly Field[]] => typeof field[1] !== 'string';
const hasErrorCode = (fields: readonly Field[]): boolean =>
  fields.some((field) => field[0] === 'errorCode' || (isStructs(field) && hasErrorCode(field[1])));

const IDENTIFIER_TYPES = ['string', 'int32', 'int8'];
/** The type of a field that identifies an array element, such as a topic name, without nullability; otherwise null. */
const identifierType = ([name, type]: Field): string | null => {
  const plain = typeof type === 'string' ? type.replace('?', '') : '';
  return IDENTIFIER_TYPES.includes(plain) && name !== 'throttleTimeMs' ? plain : null;
};

export function errorResponse(api: Api, version: number, request: object, errorCode: number): Message {
  const present = (fields: readonly Field[]) =>
    fields.filter(([, , versions = '0+']) => includesVersion(versions, version));
  const response = mirrorFields(present(api.response), present(api.request), request as Message, errorCode);
  // The top-level error code of Fetch concerns its session, which is a different error.
  if (api.name === 'Fetch') delete response.errorCode;
  return response;
}

function mirrorFields(
  fields: readonly Field[],
  requestFields: readonly Field[],
  request: Message,
  errorCode: number,
): Message {
  const response: Message = {};
  const used = new Set<string>();
  for (const field of fields) {
    const [name] = field;
    if (name === 'errorCode') {
      response[name] = errorCode;
    } else if (isStructs(field)) {
      if (!hasErrorCode(field[1])) continue;
      const source = requestFields.find(
        ([other, t]) => !used.has(other) && (typeof t !== 'string' || t.startsWith('[]')),
      );
      if (!source) continue;
      used.add(source[0]);
      const elements = (request[source[0]] ?? []) as unknown[];
      response[name] = elements.map((element) =>
        typeof source[1] === 'string'
          ? mirrorFields(field[1], [['value', source[1].slice(2)] as unknown as Field], { value: element }, errorCode)
          : mirrorFields(field[1], source[1], element as Message, errorCode),
      );
    } else if (identifierType(field) !== null) {
      const source = requestFields.find(
        (other) => !used.has(other[0]) && identifierType(other) === identifierType(field),
      );
      if (!source) continue;
      used.add(source[0]);
      response[name] = request[source[0]];
    }
  }
  return response;
}
