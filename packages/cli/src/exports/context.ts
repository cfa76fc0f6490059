/** The cluster that a command is for: its URL, TLS files and credentials. */
export { contextsPath } from '../context/contexts-file';
export { chosenContext, type Server, serverOf } from '../context/server';
