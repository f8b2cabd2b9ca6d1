import { assertDescribed } from "./contract.js";

export interface RawAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly code: string | undefined;
}

/** The answers in what a connection received; each is held to the description, as an answer to what was `asked`. */
export function answersIn(received: string, asked = "GET /nowhere"): readonly RawAnswer[] {
  const [method = "", path = ""] = asked.split(" ");
  const answers: RawAnswer[] = [];
  let rest = received;
  while (rest !== "") {
    const head = rest.slice(0, rest.indexOf("\r\n\r\n"));
    const [first = "", ...lines] = head.split("\r\n");
    const headers = new Headers(lines.map((line) => line.split(/: (.*)/s).slice(0, 2) as [string, string]));
    const start = head.length + 4;
    const text = rest.slice(start, start + Number(headers.get("content-length")));
    const status = Number(first.split(" ")[1]);
    assertDescribed({ method, path, status, headers, text });
    const { error } = JSON.parse(text) as { error?: { code: string } };
    answers.push({ status, headers, code: error?.code });
    rest = rest.slice(start + text.length);
  }
  return answers;
}
