import type { Entra } from './entra.ts'
import type { ApiRegistrations, ClientRegistrations } from './registrations.ts'
import { type EntraOptions, startEntra } from './start-entra.ts'

/** The hooks of a test runner. */
export type TestHooks = {
  readonly beforeAll: (run: () => Promise<void>) => unknown
  readonly afterEach: (run: () => Promise<void>) => unknown
  readonly afterAll: (run: () => Promise<void>) => unknown
}

/**
 * Starts an identity provider before the tests, resets it after each, and stops it after the last.
 *
 * @param mustApplyFaults fails a test whose faults no request has met; default false
 * @returns the identity provider, for use within a test
 * @example
 * const entra = hookEntra({ beforeAll, afterEach, afterAll }, { registrations: 'registrations.json' })
 */
export function hookEntra<
  const Apis extends ApiRegistrations,
  const Clients extends ClientRegistrations<Apis>,
>(
  { beforeAll, afterEach, afterAll }: TestHooks,
  {
    mustApplyFaults = false,
    ...options
  }: EntraOptions<Apis, Clients> & { readonly mustApplyFaults?: boolean } = {},
): () => Entra<Apis, Clients> {
  let entra: Entra<Apis, Clients> | undefined
  beforeAll(async () => {
    entra = await startEntra(options as EntraOptions<Apis, Clients>)
  })
  afterEach(async () => {
    try {
      if (mustApplyFaults) entra?.faults.assertApplied()
    } finally {
      await entra?.reset()
    }
  })
  afterAll(async () => {
    await entra?.stop()
  })
  return () => {
    if (entra === undefined) throw new TypeError('Use the identity provider within a test')
    return entra
  }
}
