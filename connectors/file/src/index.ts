export { fileStreamSink } from './sink/connector';
export { fileStreamSource } from './source/connector';
