/** The official SDK, loaded when a server is connected to and not before: most programs that load this package never do. */
export async function loadSdk() {
  return import("@modelcontextprotocol/client");
}

export async function safeEnvironment(): Promise<Record<string, string>> {
  const { getDefaultEnvironment } = await import("@modelcontextprotocol/client/stdio");
  return getDefaultEnvironment();
}
