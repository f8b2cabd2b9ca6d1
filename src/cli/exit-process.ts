/** Ends the process, also while `guardForeignCode` keeps others from it: taken before anybody could replace it. */
export const exitProcess = process.exit.bind(process);
