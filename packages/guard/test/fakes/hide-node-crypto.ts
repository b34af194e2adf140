import type { TestContext } from 'node:test'

/** Makes the guard admit keys as on workerd without `nodejs_compat`, until the end of the test. */
export function hideNodeCrypto(t: TestContext): void {
  t.mock.method(process, 'getBuiltinModule', () => undefined)
}
