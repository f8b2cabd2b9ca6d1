import { connect } from "node:net";

/** Sends bytes that no HTTP client would, and answers what came back until the server closed the connection. */
export function exchange(url: string, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let received = "";
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname, () => socket.write(text));
    socket.on("data", (chunk: Buffer) => (received += chunk.toString()));
    socket.on("close", () => {
      resolve(received);
    });
    socket.on("error", reject);
  });
}
