/** The largest message of a server that is read, in bytes. */
export const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;
