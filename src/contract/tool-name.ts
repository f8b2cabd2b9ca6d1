/** What a tool may be called: what every model API accepts. */
export const TOOL_NAME = /^[a-zA-Z0-9_-]{1,64}$/;

/** The snake_case of a class name: `CreateTicket` is `create_ticket`, `HTTPFetch` is `http_fetch`. */
export function snakeCase(className: string): string {
  return className
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .replace(/([A-Z])([A-Z][a-z])/g, "$1_$2")
    .toLowerCase();
}
