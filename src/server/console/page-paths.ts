/** Where the operator's page is: its views, each of which can be linked to, and the files that it is made of. */
const PAGE_PATH = /^\/(?:inbox|runs|runs\/[^/]+|tools|console\/[\w.-]+)?$/;

/** Whether a path is one of the page, which holds no data and is answered to whoever asks. */
export function isPagePath(path: string): boolean {
  return PAGE_PATH.test(path);
}
