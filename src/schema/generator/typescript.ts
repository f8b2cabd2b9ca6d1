// Required, not imported: an import reads all of the compiler twice more, to tell what kind of module it is and what it exports.
// eslint-disable-next-line @typescript-eslint/no-require-imports
import ts = require("typescript");

export { ts };
