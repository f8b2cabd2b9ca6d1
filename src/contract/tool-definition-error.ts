/** A class that cannot be the tool that its `@Tool` says. Thrown when the class is decorated. */
export class ToolDefinitionError extends Error {
  override readonly name = "ToolDefinitionError";
  readonly code = "tool_definition";
}
