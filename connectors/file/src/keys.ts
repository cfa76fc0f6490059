/** Names of the settings. Definitions, validation and tasks import them from here; messages spell them out. */
export const KEY = {
  file: 'file',
  format: 'file.format',
  lineSeparator: 'file.line.separator',
  template: 'file.template',
  rotateBytes: 'file.rotate.bytes',
  rotateMs: 'file.rotate.ms',
  fsync: 'file.fsync',
  createDirs: 'file.create.dirs',
  tombstones: 'file.tombstones',
  topic: 'topic',
  batchSize: 'batch.size',
} as const;

/** A setting of the worker, not of a connector. */
export const FILE_ROOT = 'file.root';
