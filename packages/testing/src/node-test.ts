import { after, afterEach, before } from 'node:test'
import type { Entra } from './entra.ts'
import type { ApiRegistrations, ClientRegistrations } from './registrations.ts'
import { type EntraOptions, hookEntra } from './start-entra.ts'

/**
 * Starts one identity provider for the tests of a `describe` block, with `node:test`.
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
  return hookEntra({ beforeAll: before, afterEach, afterAll: after }, options)
}
