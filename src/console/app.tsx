import { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks";
import { ApiProvider, clientOf, type Api, type TokenNeed } from "./api.js";
import { forget } from "./drafts.js";
import { InboxView } from "./inbox/inbox-view.js";
import { Link, useRoute, type Route } from "./router.js";
import { RunView } from "./run/run-view.js";
import { RunsView } from "./runs/runs-view.js";
import { keepToken, readToken } from "./session.js";
import { TokenDialog } from "./token-dialog.js";
import { ToolsView } from "./tools/tools-view.js";
import { ConnectionBanner } from "./connection-banner.js";

/** The operator's page. */
export function App() {
  const route = useRoute();
  const [token, setToken] = useState(readToken);
  const [need, setNeed] = useState<TokenNeed | undefined>(undefined);
  const askToken = useCallback((why: TokenNeed): void => setNeed((before) => before ?? why), []);
  const api = useMemo((): Api => ({ client: clientOf(token), token, askToken }), [token, askToken]);
  // Another visit begins with nothing of the one before.
  const [visit, setVisit] = useState(0);
  useTitleAndFocus(route);

  const use = (next: string | undefined): void => {
    keepToken(next);
    setToken(next);
    setNeed(undefined);
  };
  // Whoever leaves takes with them what they typed.
  const forgetToken = (): void => {
    forget("");
    setVisit(visit + 1);
    use(undefined);
  };
  return (
    <ApiProvider value={api}>
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <header class="bar">
        <Link to="/" class="mark" aria-label="Salvor, inbox">
          Salvor
        </Link>
        <nav aria-label="Views">
          <Tab to="/inbox" name="Inbox" isHere={route.view === "inbox"} />
          <Tab to="/runs" name="Runs" isHere={route.view === "runs" || route.view === "run"} />
          <Tab to="/tools" name="Tools" isHere={route.view === "tools"} />
        </nav>
        <span class="spring" />
        {token === undefined ? (
          <button type="button" class="quiet" onClick={() => setNeed("missing")}>
            Token…
          </button>
        ) : (
          <button type="button" class="quiet" onClick={forgetToken}>
            Forget token
          </button>
        )}
      </header>
      <ConnectionBanner />
      <main id="main">
        <View key={visit} route={route} />
      </main>
      {need !== undefined && <TokenDialog need={need} onToken={use} onClose={() => setNeed(undefined)} />}
    </ApiProvider>
  );
}

function Tab({ to, name, isHere }: { readonly to: string; readonly name: string; readonly isHere: boolean }) {
  return (
    <Link to={to} aria-current={isHere ? "page" : undefined}>
      {name}
    </Link>
  );
}

function View({ route }: { readonly route: Route }) {
  switch (route.view) {
    case "inbox":
      return <InboxView />;
    case "runs":
      return <RunsView query={route.query} />;
    case "run":
      return <RunView run={route.run} at={route.at} />;
    case "tools":
      return <ToolsView />;
    case "nowhere":
      return (
        <section class="view">
          <h1 tabIndex={-1}>Nothing here</h1>
          <p class="empty">
            This page has no such place. <Link to="/inbox">The inbox</Link>
          </p>
        </section>
      );
  }
}

const TITLES: Readonly<Record<Route["view"], string>> = {
  inbox: "Inbox",
  runs: "Runs",
  run: "Run",
  tools: "Tools",
  nowhere: "Nothing here",
};

/** Another view is another page to whoever does not see it: it has a title, and reading goes on at its heading. */
function useTitleAndFocus(route: Route): void {
  const place = route.view === "run" ? `Run ${route.run.slice(0, 8)}` : TITLES[route.view];
  const isFirst = useRef(true);
  useEffect(() => {
    document.title = `${place} · Salvor`;
    if (!isFirst.current) document.querySelector<HTMLElement>("main h1")?.focus();
    isFirst.current = false;
  }, [place]);
}
