// better-sqlite3 with every commit synced (WAL, synchronous=FULL), in two table layouts: rows in the order of their arrival
// with a unique index on run and position, and rows in the order of run and position.
import { randomUUID } from "node:crypto";
import { setImmediate } from "node:timers";
import { join } from "node:path";
import { ensureBenchPackages } from "../../lib/bench-packages.js";
import { event } from "./events.js";
import { rate } from "./rates.js";

const LAYOUTS = {
  arrival: `create table events (id integer primary key, run text not null, seq integer not null, json text not null);
    create unique index place on events (run, seq)`,
  place: `create table events (run text, seq integer, json text not null, primary key (run, seq)) without rowid`,
};

/** The constructor, or why there is none: the package is native, and optional because it may have to be compiled. */
export async function loadSqlite() {
  try {
    ensureBenchPackages();
    const { default: Database } = await import("better-sqlite3");
    new Database(":memory:").close();
    return { Database };
  } catch (error) {
    const how =
      "npm rebuild --prefix scripts/bench better-sqlite3 compiles it; npm_config_nodedir=/usr where Node's headers lie there";
    return { missing: `better-sqlite3 is not compared with: ${error.message.split("\n")[0]} (${how})` };
  }
}

/** Appends per second with one commit an append, and with one commit for all that wait, the better layout of the two. */
export async function sqliteRates(Database, dir, callers, milliseconds) {
  const rates = { single: 0, grouped: 0 };
  for (const layout of Object.values(LAYOUTS)) {
    rates.single = Math.max(
      rates.single,
      await withDatabase(Database, dir, layout, (db) => single(db, callers, milliseconds)),
    );
    rates.grouped = Math.max(
      rates.grouped,
      await withDatabase(Database, dir, layout, (db) => grouped(db, callers, milliseconds)),
    );
  }
  return rates;
}

async function withDatabase(Database, dir, layout, use) {
  const db = new Database(join(dir, `${randomUUID()}.sqlite`));
  try {
    db.pragma("journal_mode = WAL");
    db.pragma("synchronous = FULL");
    db.exec(layout);
    return await use(db);
  } finally {
    db.close();
  }
}

function single(db, callers, milliseconds) {
  const insert = db.prepare("insert into events (run, seq, json) values (?, ?, ?)");
  const runs = runsOf(callers);
  return rate(callers, milliseconds, async (caller) => {
    const { id, seq } = next(runs, caller);
    insert.run(id, seq, JSON.stringify(event(id, seq)));
    // The commit blocks the event loop; the others get their turn behind it.
    await new Promise(setImmediate);
  });
}

function grouped(db, callers, milliseconds) {
  const insert = db.prepare("insert into events (run, seq, json) values (?, ?, ?)");
  const runs = runsOf(callers);
  let waiting = [];
  const flush = db.transaction((batch) => {
    for (const { id, seq } of batch) insert.run(id, seq, JSON.stringify(event(id, seq)));
  });
  return rate(
    callers,
    milliseconds,
    (caller) =>
      new Promise((answer) => {
        if (waiting.length === 0) {
          setImmediate(() => {
            const batch = waiting;
            waiting = [];
            flush(batch);
            for (const each of batch) each.answer();
          });
        }
        waiting.push({ ...next(runs, caller), answer });
      }),
  );
}

function runsOf(callers) {
  return Array.from({ length: callers }, () => ({ id: randomUUID(), seq: 0 }));
}

function next(runs, caller) {
  const run = runs[caller];
  return { id: run.id, seq: run.seq++ };
}
