/** The types that a descriptor names, by the places that name them. */
import type { FieldProto, FileProto, MessageProto } from './descriptor-proto';

export function hasSameTypes(a: FileProto, b: FileProto): boolean {
  const [one, other] = [typeNames(a), typeNames(b)];
  return one.size === other.size && [...one].every(([place, name]) => other.get(place) === name);
}

function typeNames(file: FileProto): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  const add = (place: string, name = ''): void => {
    if (name !== '') names.set(place, name);
  };
  const fields = (place: string, all: readonly FieldProto[] = []): void => {
    for (const { number = 0, typeName, extendee } of all) {
      add(`${place}#${extendee ?? ''}#${number}`, typeName);
      if (extendee !== undefined) add(`${place}#${extendee}#${number}#of`, extendee);
    }
  };
  const messages = (outer: string, all: readonly MessageProto[] = []): void => {
    for (const { name = '', field, extension, nestedType } of all) {
      const place = `${outer}.${name}`;
      fields(place, field);
      fields(place, extension);
      messages(place, nestedType);
    }
  };
  messages('', file.messageType);
  fields('', file.extension);
  for (const { name: service = '', method = [] } of file.service ?? [])
    for (const { name = '', inputType, outputType } of method) {
      add(`${service}/${name}/in`, inputType);
      add(`${service}/${name}/out`, outputType);
    }
  return names;
}
