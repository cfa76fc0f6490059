/** `millrace restart` */
import type { Run } from '../program/command-spec';
import { changeConnectors } from './change-connectors';
import { ACTIONS } from './actions';

export const run: Run = (invocation) => changeConnectors(invocation, ACTIONS.restart);
