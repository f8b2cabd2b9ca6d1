import { useEffect, useState } from "preact/hooks";

/** Every label of a time moves on with this one clock. */
const TICK_MS = 5_000;

export function useNow(): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), TICK_MS);
    return () => {
      clearInterval(timer);
    };
  }, []);
  return now;
}

/** How long ago a time is, in its largest two units: `2 h 5 min`. */
export function lengthOf(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return `${hours} h${minutes % 60 === 0 ? "" : ` ${minutes % 60} min`}`;
  const days = Math.floor(hours / 24);
  return `${days} d${hours % 24 === 0 ? "" : ` ${hours % 24} h`}`;
}

/** A time of the log as people read it here, to the second, with the zone that it is in. */
export function clockOf(iso: string): string {
  const time = new Date(iso);
  if (Number.isNaN(time.getTime())) return iso;
  const two = (part: number): string => String(part).padStart(2, "0");
  const day = `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`;
  return `${day} ${two(time.getHours())}:${two(time.getMinutes())}:${two(time.getSeconds())} ${zoneOf(time)}`;
}

/** By its distance, which means the same to whoever reads it elsewhere: `UTC`, `UTC+5:30`. */
function zoneOf(time: Date): string {
  const minutes = -time.getTimezoneOffset();
  if (minutes === 0) return "UTC";
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
  return `UTC${minutes < 0 ? "-" : "+"}${hours}${rest === 0 ? "" : `:${String(rest).padStart(2, "0")}`}`;
}

/** How long ago something was, with the time itself for whoever points at it. */
export function Ago({ iso }: { readonly iso: string }) {
  const now = useNow();
  return (
    <time dateTime={iso} title={clockOf(iso)}>
      {lengthOf(now - Date.parse(iso))} ago
    </time>
  );
}

export function Clock({ iso }: { readonly iso: string }) {
  return <time dateTime={iso}>{clockOf(iso)}</time>;
}
