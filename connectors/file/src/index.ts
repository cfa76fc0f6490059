export { fileStreamSink } from './sink';
