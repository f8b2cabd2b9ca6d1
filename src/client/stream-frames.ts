/** One frame of a stream of server-sent events, comments left out. */
export interface StreamFrame {
  readonly event: string | undefined;
  readonly data: string;
}

/** The frames of a body; what is cut off at its end is no frame. */
export async function* streamFrames(body: AsyncIterable<string>): AsyncGenerator<StreamFrame, void> {
  let rest = "";
  let event: string | undefined;
  let data: string[] = [];
  for await (const chunk of body) {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines.map((text) => (text.endsWith("\r") ? text.slice(0, -1) : text))) {
      const [name, value] = fieldOf(line);
      if (name === "event") event = value;
      else if (name === "data") data.push(value);
      else if (line === "") {
        if (data.length > 0) yield { event, data: data.join("\n") };
        event = undefined;
        data = [];
      }
    }
  }
}

function fieldOf(line: string): readonly [name: string, value: string] {
  const colon = line.indexOf(":");
  if (colon < 0) return [line, ""];
  return [line.slice(0, colon), line.slice(line.charAt(colon + 1) === " " ? colon + 2 : colon + 1)];
}
