import type { ServiceOptions } from '../../src/endpoints/service-options.ts'
import type { Refusal } from '../../src/refusals/refusal.ts'
import type { TestService } from './test-service.ts'

/** A request over HTTP, by default to the token endpoint of contract C49. */
export type ScenarioRequest = {
  readonly path?: string
  readonly method?: string
  /** Several values are several header lines. */
  readonly headers?: Readonly<Record<string, string | string[]>>
  /** A form. The server treats an empty value as a missing parameter. */
  readonly form?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array<ArrayBuffer>
}

/** The cause of one refusal, and the expected response. */
export type RefusalScenario = {
  readonly reason: Refusal['reason']
  /** Distinguishes several scenarios of one reason. */
  readonly when?: string
  readonly options?: Partial<ServiceOptions>
  /** Prepares the service and returns the request. */
  readonly request: (service: TestService) => ScenarioRequest | Promise<ScenarioRequest>
  readonly status: number
  readonly error: string
  readonly code: number
  readonly hasErrorUri: boolean
  /** The whole sentence, or a pattern of it. */
  readonly text: string | RegExp
}

/** The expected response without its text. */
export const refused = (status: number, error: string, code: number, hasErrorUri = true) => ({
  status,
  error,
  code,
  hasErrorUri,
})
