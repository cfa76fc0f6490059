export { waitFor, type WaitOptions } from '../../dev/services/wait-for';
