import type { Entra } from './entra.ts'
import type { ApiRegistrations, ClientRegistrations } from './registrations.ts'
import { type EntraOptions, hookEntra, type TestHooks } from './start-entra.ts'

// The types of vitest are those of the installed version, so only its hooks have a type here.
const vitest = 'vitest'
const hooks: TestHooks = await import(vitest)

/**
 * Starts one identity provider for the tests of a `describe` block, with vitest.
 *
 * @param options those of `startEntra`; `mustApplyFaults` fails a test whose faults no request has met
 * @example
 * const entra = useEntra({ registrations: 'registrations.json' })
 * it('accepts a token', async () => { await entra().client('Payroll job').token() })
 */
export function useEntra<
  const Apis extends ApiRegistrations,
  const Clients extends ClientRegistrations<Apis>,
>(
  options: EntraOptions<Apis, Clients> & { readonly mustApplyFaults?: boolean } = {},
): () => Entra<Apis, Clients> {
  return hookEntra(hooks, options)
}
