export { APIS } from './apis';
export * from './apis/connection';
export * from './apis/data';
export * from './apis/groups';
export * from './apis/inspection';
export * from './apis/topics';
export * from './apis/transactions';
export { decode, encode, hasFlexibleResponseHeader, includesVersion, isFlexible } from './codec';
export { api, withVersions } from './layout';
export type {
  Api,
  ElementOf,
  Field,
  FieldOptions,
  FieldType,
  Loose,
  MessageOf,
  Primitive,
  RequestOf,
  ResponseOf,
} from './layout';
export { MalformedMessage, Reader, type ReaderOptions } from './reader';
export { Writer } from './writer';
