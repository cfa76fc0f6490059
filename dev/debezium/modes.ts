/** Settings of a session that follow from its seed. */
import type { Seeded } from '../../test/helpers/seeded';

/** Values of `unavailable.value.placeholder`. */
export const PLACEHOLDERS = ['__debezium_unavailable_value', '∅ "gone"', 'hex:00ff80'];

const CHOICES: Readonly<Record<string, readonly string[]>> = {
  'decimal.handling.mode': ['precise', 'double', 'string'],
  'time.precision.mode': [
    'adaptive',
    'adaptive_time_microseconds',
    'connect',
    'isostring',
    'microseconds',
    'nanoseconds',
  ],
  'binary.handling.mode': ['bytes', 'base64', 'base64-url-safe', 'hex'],
  'interval.handling.mode': ['numeric', 'string'],
  'hstore.handling.mode': ['json', 'map'],
  'schema.name.adjustment.mode': ['none', 'avro'],
  'field.name.adjustment.mode': ['none', 'avro'],
  'unavailable.value.placeholder': PLACEHOLDERS,
  'money.fraction.digits': ['2', '0', '4'],
  'include.unknown.datatypes': ['false', 'true'],
  'column.propagate.source.type': ['', '', '.*'],
  'tombstones.on.delete': ['true', 'true', 'false'],
  'skip.messages.without.change': ['false', 'false', 'true'],
  'snapshot.mode': ['initial', 'initial', 'no_data'],
};

export function randomSettings(random: Seeded): Record<string, string> {
  const chosen = Object.entries(CHOICES).map(([key, values]) => [key, random.one(values)] as const);
  // Debezium does not read an empty value as none.
  return Object.fromEntries(chosen.filter(([, value]) => value !== ''));
}
