import { clientSecret } from '../../src/credentials/credential.ts'
import { createTokenSource, type TokenSource } from '../../src/token/token-source.ts'
import type { TokenSourceOptions } from '../../src/token/token-source-options.ts'
import type { VirtualRuntime } from './virtual-runtime.ts'

/** A token source in a virtual runtime. */
export function tokenSourceIn(
  environment: VirtualRuntime,
  options: Partial<TokenSourceOptions> = {},
): TokenSource {
  return createTokenSource({
    authority: 'https://login.example/tenant',
    clientId: 'client-id',
    credential: clientSecret('secret-value'),
    scope: 'api://api-id/.default',
    runtime: environment.runtime,
    ...options,
  })
}

/** Lets background work complete. */
export const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
