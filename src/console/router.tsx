import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";

/** Where the page is: each place has an address that can be sent to somebody. */
export type Route =
  | { readonly view: "inbox" }
  | { readonly view: "runs"; readonly query: URLSearchParams }
  | { readonly view: "run"; readonly run: string; readonly at: number | undefined }
  | { readonly view: "tools" }
  | { readonly view: "nowhere" };

export function routeOf({ pathname, search }: Pick<Location, "pathname" | "search">): Route {
  const query = new URLSearchParams(search);
  const run = /^\/runs\/([^/]+)$/.exec(pathname)?.[1];
  if (run !== undefined) {
    const at = query.get("at");
    return {
      view: "run",
      run: decoded(run),
      at: at !== null && /^\d{1,9}$/.test(at) ? Number(at) : undefined,
    };
  }
  switch (pathname) {
    case "/":
    case "/inbox":
      return { view: "inbox" };
    case "/runs":
      return { view: "runs", query };
    case "/tools":
      return { view: "tools" };
    default:
      return { view: "nowhere" };
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const MOVED = "salvor:moved";

/** Goes to a place of this page. */
export function go(path: string, how: "push" | "replace" = "push"): void {
  if (how === "push") history.pushState(null, "", path);
  else history.replaceState(null, "", path);
  dispatchEvent(new Event(MOVED));
}

export function useRoute(): Route {
  const [route, setRoute] = useState(() => routeOf(location));
  useEffect(() => {
    const moved = (): void => {
      setRoute(routeOf(location));
    };
    addEventListener("popstate", moved);
    addEventListener(MOVED, moved);
    return () => {
      removeEventListener("popstate", moved);
      removeEventListener(MOVED, moved);
    };
  }, []);
  return route;
}

interface LinkProps {
  readonly to: string;
  readonly children: ComponentChildren;
  readonly class?: string;
  readonly title?: string;
  readonly "aria-label"?: string;
  readonly "aria-current"?: "page" | undefined;
}

/** A link within this page, which a browser may also open in another tab. */
export function Link({ to, children, ...rest }: LinkProps) {
  const follow = (event: MouseEvent): void => {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    go(to);
    scrollTo(0, 0);
  };
  return (
    <a {...rest} href={to} onClick={follow}>
      {children}
    </a>
  );
}
