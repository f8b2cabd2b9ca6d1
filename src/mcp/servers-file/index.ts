export { closeServers, connectServer, connectServers } from "./connect-servers.js";
export { readServersFile, ServersFileError } from "./read-servers.js";
export type { ServerEntry } from "./server-entry.js";
