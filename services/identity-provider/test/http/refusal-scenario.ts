import type { Refusal } from '../../src/dialect/refusals/refusal.ts'
import type { ServiceOptions } from '../../src/http/service-options.ts'
import type { TestService } from './test-service.ts'

/** A request over HTTP: to the token endpoint of contract C49 unless it says otherwise. */
export type ScenarioRequest = {
  readonly path?: string
  readonly method?: string
  /** Several values are several header lines. */
  readonly headers?: Readonly<Record<string, string | string[]>>
  /** A form; an empty value leaves the parameter out as far as the server is concerned. */
  readonly form?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array<ArrayBuffer>
}

/** How one refusal comes about, and what the client is told then. */
export type RefusalScenario = {
  readonly reason: Refusal['reason']
  /** Distinguishes several scenarios of one reason. */
  readonly when?: string
  readonly options?: Partial<ServiceOptions>
  /** Prepares the service; what it gives is the request. */
  readonly request: (service: TestService) => ScenarioRequest | Promise<ScenarioRequest>
  readonly status: number
  readonly error: string
  readonly code: number
  readonly hasErrorUri: boolean
  /** The whole sentence, or what it must look like. */
  readonly text: string | RegExp
}
