export { REGISTRY_CONFIG } from './registry-config';
