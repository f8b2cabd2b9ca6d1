import { exampleOf } from "../form/example.js";
import { Link } from "../router.js";
import { EffectBadge } from "../ui/badge.js";
import { Copy } from "../ui/copy.js";
import { prettyJson } from "../ui/json-text.js";
import { JsonView } from "../ui/json-view.js";
import { cut, visible } from "../ui/visible.js";
import { Words } from "../ui/words.js";
import type { KnownTool } from "./known-tool.js";
import { rulesOf } from "./rules.js";
import { useTools } from "./use-tools.js";

/** What the operator declared, and what the server performs itself. */
export function ToolsView() {
  const { byName, isRead, problem } = useTools();
  return (
    <section class="view">
      <header class="view-head">
        <h1 tabIndex={-1}>Tools</h1>
        {isRead && <p class="count">{byName.size === 1 ? "1 tool" : `${byName.size} tools`}</p>}
      </header>
      {!isRead && <p class="empty">{problem === "" ? "Reading…" : problem}</p>}
      {isRead && byName.size === 0 && (
        <p class="empty">
          No tools are declared. <code>salvor serve --client-tool FILE</code> serves one.
        </p>
      )}
      <ul class="cards">
        {[...byName.values()].map((tool) => (
          <li key={tool.name}>
            <Tool tool={tool} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function Tool({ tool }: { readonly tool: KnownTool }) {
  const { name, title, description, effect, input_schema: input, output_schema: output } = tool;
  const example = exampleOf(input);
  return (
    <article class="card">
      <header class="card-head">
        <h2>
          <bdi>{cut(visible(name), 120)}</bdi>
        </h2>
        <EffectBadge effect={effect} />
        {title !== undefined && (
          <span class="about">
            <Words text={title} />
          </span>
        )}
        <span class="spring" />
        <Link to={`/runs?tool=${encodeURIComponent(name)}`}>Open calls</Link>
      </header>
      {description !== undefined && (
        <p>
          <Words text={description} />
        </p>
      )}
      <ul class="rules">
        {rulesOf(tool).map((rule) => (
          <li key={rule}>{visible(rule)}</li>
        ))}
      </ul>
      <div class="folds">
        <details>
          <summary>Example input</summary>
          <Copy text={prettyJson(example)} what={`an example input of ${name}`} />
          <JsonView value={example} label={`Example input of ${name}`} />
        </details>
        <details>
          <summary>Input schema</summary>
          <JsonView value={input} label={`Input schema of ${name}`} />
        </details>
        {output !== undefined && (
          <details>
            <summary>Output schema</summary>
            <JsonView value={output} label={`Output schema of ${name}`} />
          </details>
        )}
      </div>
    </article>
  );
}
