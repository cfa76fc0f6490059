/** Defaults of Avro fields as the bytes of the field, for what a struct has no member for. */
import { ByteOutput } from '../../byte-output';
import { JsonNumber, type JsonTree } from '../json/json-tree';
import type { AvroSchema } from '../schema/avro-schema';
import { writeBigInteger, writeInteger } from './integers';
import { putDouble, putFloat } from './primitive-writers';
import { writeBytes, writeString } from './texts';

/** Null: there is no default, or it does not fit. */
export function defaultBytes(schema: AvroSchema, tree: JsonTree | undefined): Uint8Array | null {
  const out = new ByteOutput(64);
  return tree !== undefined && put(schema, tree, out) ? Buffer.from(out.finish()) : null;
}

function put(schema: AvroSchema, tree: JsonTree, out: ByteOutput): boolean {
  switch (schema.type) {
    case 'null':
      return tree === null;
    case 'boolean':
      if (typeof tree !== 'boolean') return false;
      out.append(Uint8Array.of(tree ? 1 : 0));
      return true;
    case 'int':
    case 'long': {
      if (!(tree instanceof JsonNumber) || !/^-?\d{1,19}$/.test(tree.text)) return false;
      const value = BigInt(tree.text);
      if (BigInt.asIntN(schema.type === 'int' ? 32 : 64, value) !== value) return false;
      writeBigInteger(out, value);
      return true;
    }
    case 'float':
    case 'double': {
      if (!(tree instanceof JsonNumber)) return false;
      (schema.type === 'float' ? putFloat : putDouble)(out, Number(tree.text));
      return true;
    }
    case 'string':
      if (typeof tree !== 'string') return false;
      writeString(out, tree);
      return true;
    case 'bytes':
      if (typeof tree !== 'string') return false;
      writeBytes(out, Buffer.from(tree, 'latin1'));
      return true;
    case 'fixed':
      if (typeof tree !== 'string' || tree.length !== schema.size) return false;
      out.append(Buffer.from(tree, 'latin1'));
      return true;
    case 'enum': {
      const index = typeof tree === 'string' ? schema.symbols.indexOf(tree) : -1;
      if (index >= 0) writeInteger(out, index);
      return index >= 0;
    }
    case 'array': {
      if (!Array.isArray(tree)) return false;
      if (tree.length > 0) writeInteger(out, tree.length);
      const fits = tree.every((element) => put(schema.items, element as JsonTree, out));
      writeInteger(out, 0);
      return fits;
    }
    case 'map': {
      if (!(tree instanceof Map)) return false;
      if (tree.size > 0) writeInteger(out, tree.size);
      for (const [name, value] of tree as ReadonlyMap<string, JsonTree>) {
        writeString(out, name);
        if (!put(schema.values, value, out)) return false;
      }
      writeInteger(out, 0);
      return true;
    }
    case 'union':
      // A default is of the first type.
      writeInteger(out, 0);
      return schema.types[0] !== undefined && put(schema.types[0], tree, out);
    case 'record':
      if (!(tree instanceof Map)) return false;
      return schema.fields.every((field) => {
        const value = tree.has(field.name) ? (tree.get(field.name) as JsonTree) : field.default;
        return value !== undefined && put(field.schema, value, out);
      });
  }
}
