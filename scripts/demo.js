// npm run demo [-- ARGUMENT...]: builds, then runs the refund desk's story offline.
import { join } from "node:path";
import { root } from "./lib/root.js";
import { runNode } from "./lib/run-node.js";

const built = await runNode(join(root, "scripts/build.js"), [], { cwd: root });
process.exitCode =
  built === 0
    ? await runNode(join(root, "examples/refund-desk/dist/demo.js"), process.argv.slice(2), { cwd: root })
    : built;
