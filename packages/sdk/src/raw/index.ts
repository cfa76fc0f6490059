export * from './raw-row';
export * from './raw-struct';
