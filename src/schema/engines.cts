// The kept engines that schemas and patterns run on. CommonJS, so that they can be asked for synchronously and late; the build
// packs this file together with them, since loading them file by file is most of what a small program takes to start.
const engines = {
  "draft-07": () => require("ajv") as typeof import("ajv"),
  "2019-09": () => require("ajv/dist/2019.js") as typeof import("ajv/dist/2019.js"),
  "2020-12": () => require("ajv/dist/2020.js") as typeof import("ajv/dist/2020.js"),
  formats: () => require("ajv-formats") as typeof import("ajv-formats"),
  formatTable: () => require("ajv-formats/dist/formats.js") as typeof import("ajv-formats/dist/formats.js"),
  re2: () => require("re2js") as typeof import("re2js"),
};

export = engines;
