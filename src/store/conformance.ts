import { CALL_CHECKS } from "./conformance/call-checks.js";
import { EXECUTION_CHECKS } from "./conformance/execution-checks.js";
import { LOG_CHECKS } from "./conformance/log-checks.js";
import { NOTICE_CHECKS } from "./conformance/notice-checks.js";
import type { StoreUnderTest } from "./conformance/subject.js";
import { SUMMARY_CHECKS } from "./conformance/summary-checks.js";

/** One promise of the port, and how to see whether a store keeps it. */
export interface ConformanceCheck {
  readonly name: string;
  /** @throws an assertion error when the store does not keep the promise. */
  readonly run: () => Promise<void>;
}

/**
 * What every store must do. Each check makes a store of its own, and none needs a test runner:
 *
 * ```ts
 * for (const { name, run } of storeConformance(makeMyStore)) it(name, run);
 * ```
 *
 * @param makeStore makes an empty store, and says how to reach behind it.
 */
export function storeConformance(makeStore: () => Promise<StoreUnderTest>): readonly ConformanceCheck[] {
  const checks = [...LOG_CHECKS, ...CALL_CHECKS, ...EXECUTION_CHECKS, ...NOTICE_CHECKS, ...SUMMARY_CHECKS];
  return checks.map(({ name, check }) => ({
    name,
    run: async () => {
      const subject = await makeStore();
      try {
        await check(subject);
      } finally {
        await subject.dispose();
      }
    },
  }));
}
