import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  DivergenceError,
  NeedsReconciliationError,
  SalvorError,
  UnavailableError,
} from "#salvor/client/index.js";
import { completionErrorOf, errorOf } from "#salvor/client/error-of.js";
import type { JsonValue } from "#salvor/contract/json.js";

const refusal = (code: string, details?: JsonValue) => ({
  error: { code, message: `it is ${code}`, ...(details !== undefined && { details }) },
});

describe("errorOf", () => {
  for (const [code, status, name] of [
    ["bad_request", 400, "BadRequestError"],
    ["unauthorized", 401, "UnauthorizedError"],
    ["missing_drive_token", 401, "InvalidDriveTokenError"],
    ["invalid_drive_token", 403, "InvalidDriveTokenError"],
    ["operator_required", 403, "OperatorRequiredError"],
    ["unknown_run", 404, "UnknownRunError"],
    ["unknown_tool", 404, "UnknownToolError"],
    ["divergence", 409, "DivergenceError"],
    ["run_exists", 409, "RunExistsError"],
    ["wrong_state", 409, "WrongStateError"],
    ["needs_reconciliation", 409, "NeedsReconciliationError"],
    ["store_unavailable", 503, "UnavailableError"],
    ["shutting_down", 503, "UnavailableError"],
    ["internal", 500, "SalvorError"],
    ["a_code_of_tomorrow", 418, "SalvorError"],
    ["toString", 409, "SalvorError"],
  ] as const) {
    it(`answers ${name} for ${code}, with the code, the status and the message`, () => {
      const error = errorOf({ status, body: refusal(code) });
      assert.ok(error instanceof SalvorError);
      assert.deepEqual(
        [error.name, error.constructor.name, error.code, error.status, error.message],
        [name, name, code, status, `it is ${code}`],
      );
    });
  }

  it("keeps the details, and reads from them what is decided by", () => {
    const holder = { run_id: "r", seq: 3 };
    const divergence = errorOf({ status: 409, body: refusal("divergence", { holder }) });
    assert.ok(divergence instanceof DivergenceError);
    assert.deepEqual([divergence.holder, divergence.details], [holder, { holder }]);
    const intent = { kind: "tool", seq: 1 };
    const open = errorOf({ status: 409, body: refusal("needs_reconciliation", { intent }) });
    assert.ok(open instanceof NeedsReconciliationError);
    assert.deepEqual(open.intent, intent);
    const busy = errorOf({ status: 503, retryAfterMs: 2000, body: refusal("store_unavailable") });
    assert.ok(busy instanceof UnavailableError);
    assert.equal(busy.retryAfterMs, 2000);
  });

  it("does not take anything else for an error envelope", () => {
    for (const body of [
      null,
      [],
      "x",
      {},
      { error: "x" },
      { error: { code: 1, message: "x" } },
      { error: { code: "x" } },
    ]) {
      assert.equal(errorOf({ status: 500, body }), undefined);
    }
  });
});

describe("completionErrorOf", () => {
  const refused = { seq: 1, report: { output: 7 } };

  it("makes a refused report of what the report is at fault for", () => {
    for (const code of ["bad_request", "client_completion_refused", "payload_too_large"]) {
      const error = completionErrorOf(errorOf({ status: 400, body: refusal(code) }), refused);
      assert.ok(error instanceof SalvorError);
      assert.deepEqual([error.name, error.code], ["CompletionRefusedError", code]);
    }
  });

  it("leaves every other error as it is", () => {
    for (const error of [errorOf({ status: 409, body: refusal("divergence") }), new Error("x"), "x"]) {
      assert.equal(completionErrorOf(error, refused), error);
    }
  });
});
