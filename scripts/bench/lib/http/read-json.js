/** A request's body as JSON, with no check at all. */
export function readJson(request) {
  return new Promise((resolve, reject) => {
    const chunks = [];
    request.on("data", (chunk) => chunks.push(chunk));
    request.on("error", reject);
    request.on("end", () => resolve(JSON.parse(Buffer.concat(chunks).toString("utf8"))));
  });
}
