import type { ComponentChildren } from "preact";
import { useApi } from "../api.js";
import { Copy } from "../ui/copy.js";
import { JsonView } from "../ui/json-view.js";
import { Modal } from "../ui/modal.js";
import { cut, visible } from "../ui/visible.js";
import { amountLike } from "./amounts.js";
import { extensionFacts, usedWords } from "./budget.js";
import { curlOf, type Decision } from "./decision.js";
import { differencesOf } from "../ui/differences.js";
import { Differing } from "../ui/differing.js";
import type { Waiting } from "./waiting.js";

interface ConfirmProps {
  readonly run: string;
  readonly waiting: Waiting;
  readonly decision: Decision;
  readonly isBusy: boolean;
  readonly onConfirm: () => void;
  readonly onBack: () => void;
}

interface Wording {
  readonly title: string;
  readonly button: string;
  readonly follows: string;
}

/** Asks once more, with all that makes this call another than the one beside it. */
export function Confirm({ run, waiting, decision, isBusy, onConfirm, onBack }: ConfirmProps) {
  const { token } = useApi();
  const { title, button, follows } = wordingOf(decision, waiting);
  const value =
    decision.kind === "happened" ? decision.output : decision.kind === "resume" ? decision.input : undefined;
  const differences =
    waiting.kind === "call" && decision.kind === "happened"
      ? differencesOf(waiting.call.input, decision.output)
      : [];
  const budget = waiting.kind === "input" && waiting.isBudget ? waiting.budget : undefined;
  const extension =
    budget !== undefined && decision.kind === "resume" ? extensionFacts(budget, decision.input) : [];
  const said =
    decision.kind === "abandon" ? decision.reason : decision.kind === "resume" ? "" : decision.note;
  return (
    <Modal title={title} onClose={isBusy ? () => undefined : onBack}>
      <dl class="facts confirm">
        {waiting.kind === "call" && <CallFacts waiting={waiting} />}
        <Fact name="run">
          <code>{run}</code>
        </Fact>
        {budget !== undefined && <Fact name="used">{usedWords(budget)}</Fact>}
        {extension.map(({ name, text }) => (
          <Fact name={name} key={name}>
            <strong>{text}</strong>
          </Fact>
        ))}
        {(decision.kind === "happened" || decision.kind === "not_performed") && (
          <Fact name="by">
            {decision.operator === "" ? "nobody is named" : <bdi>{cut(visible(decision.operator), 120)}</bdi>}
          </Fact>
        )}
        {said !== "" && (
          <Fact name="note">
            <bdi>{cut(visible(said), 400)}</bdi>
          </Fact>
        )}
      </dl>
      {value !== undefined && (
        <>
          <h3>{headingOf(decision, waiting)}</h3>
          <JsonView value={value} label="What is recorded" />
        </>
      )}
      {differences.length > 0 && (
        <div class="notice notice-warning">
          <div>
            <p>
              <strong>This is not what was asked for.</strong> Record it only if it is what happened.
            </p>
            <Differing differences={differences} />
          </div>
        </div>
      )}
      <p>{follows}</p>
      <div class="actions">
        <button type="button" data-first disabled={isBusy} onClick={onBack}>
          Back
        </button>
        <button
          type="button"
          class={decision.kind === "happened" || decision.kind === "resume" ? "primary" : "danger"}
          disabled={isBusy}
          onClick={onConfirm}
        >
          {isBusy ? "Recording…" : button}
        </button>
        <span class="spring" />
        <Copy text={curlOf(run, decision, token !== undefined)} what="this decision">
          Copy as curl
        </Copy>
      </div>
    </Modal>
  );
}

function CallFacts({
  waiting: { call, declared },
}: {
  readonly waiting: Extract<Waiting, { kind: "call" }>;
}) {
  const named = [...(declared?.require_equal ?? []), ...(declared?.idempotency_key ?? [])];
  return (
    <>
      <Fact name="tool">
        <strong>{cut(visible(call.tool), 200)}</strong>
      </Fact>
      {amountLike(call.input, named).map(({ name, text }) => (
        <Fact name={cut(visible(name), 60)} key={name}>
          <strong class="mono">
            <bdi>{cut(visible(text), 300)}</bdi>
          </strong>
        </Fact>
      ))}
      <Fact name="key">
        <code>{call.idempotency_key === null ? "none" : visible(call.idempotency_key)}</code>
      </Fact>
    </>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
  return (
    <div>
      <dt>
        <bdi>{name}</bdi>
      </dt>
      <dd>{children}</dd>
    </div>
  );
}

function headingOf({ kind }: Decision, waiting: Waiting): string {
  if (kind !== "resume") return "What came of it";
  return waiting.kind === "input" && waiting.isBudget ? "The extension" : "The answer";
}

function wordingOf(decision: Decision, waiting: Waiting): Wording {
  const tool = waiting.kind === "call" ? cut(visible(waiting.call.tool), 60) : "the run";
  switch (decision.kind) {
    case "happened":
      return {
        title: `${tool} happened?`,
        button: "Record: it happened",
        follows: "The call gets this result, for good, and the run goes on as if its client had reported it.",
      };
    case "not_performed":
      return {
        title: `${tool} did not happen?`,
        button: "Record: it did not happen",
        follows:
          "The call is recorded as not performed, for good, and may be asked for again under the same key. If it did happen after all, it may then happen twice.",
      };
    case "resume":
      if (waiting.kind === "input" && waiting.isBudget)
        return {
          title: "Extend the budget and resume the run?",
          button: "Resume with this extension",
          follows: "What is added is recorded for good, and the run goes on when its client asks again.",
        };
      return {
        title: "Resume the run?",
        button: "Resume with this answer",
        follows: "The run goes on with this answer, which is recorded for good.",
      };
    case "abandon":
      return {
        title: "Abandon the run?",
        button: "Abandon the run",
        follows:
          waiting.kind === "call"
            ? "The run ends, for good. What came of this call stays unknown, and is recorded as that."
            : "The run ends, for good.",
      };
  }
}
