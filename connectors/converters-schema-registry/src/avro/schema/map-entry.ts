/** Maps whose keys are no strings: arrays of records with a key and a value. */
import { MAP_ENTRY, NAMESPACE, Prop } from '../connect-props';
import type { AvroRecord, AvroSchema } from './avro-schema';

export function isMapEntry(avro: AvroSchema): avro is AvroRecord {
  return (
    avro.type === 'record' &&
    (avro.name.full === `${NAMESPACE}.${MAP_ENTRY}` || avro.props.get(Prop.INTERNAL_TYPE) === MAP_ENTRY)
  );
}
