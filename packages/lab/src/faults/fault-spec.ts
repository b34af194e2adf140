import { z } from 'zod'
import { type Endpoint, endpoints } from './fault-context.ts'
import { type FaultName, type FaultRow, faultRows } from './fault-rows.ts'

/** The header in which a test names its run, so that its faults break no other test. */
export const runHeader = 'x-greeting-run'

const id = z.string().min(1).max(64)

/** To which requests a fault applies. */
const scope = {
  /** The client ID. Only requests to the token endpoint name one. */
  client: id.optional(),
  /** The value of the header `x-greeting-run`. */
  run: id.optional(),
  /** The number of requests; default 1. */
  times: z.int().min(1).max(1_000_000).optional(),
  /** Seconds on the clock of the lab. Without `times`, the number of requests is then not limited. */
  seconds: z.int().min(1).max(86_400).optional(),
}
const scopeSchema = z.strictObject(scope)

/** The requests that a fault breaks: all, unless it names a client or a run. */
export type FaultScope = z.input<typeof scopeSchema>

type Rows = typeof faultRows
type ParametersOf<Row> =
  Row extends FaultRow<Endpoint, infer Shape>
    ? keyof Shape extends never
      ? unknown
      : z.input<z.ZodObject<Shape>>
    : never

/** A fault that a test requests. */
export type FaultSpec = {
  [Name in FaultName]: {
    readonly fault: Name
    readonly at: Rows[Name]['at'][number]
  } & Readonly<ParametersOf<Rows[Name]>>
}[FaultName] &
  FaultScope

/** A validated fault, with the defaults of its parameters. */
export type ValidFault = z.output<typeof scopeSchema> & {
  readonly fault: FaultName
  readonly at: Endpoint
  readonly parameters: Readonly<Record<string, unknown>>
}

const envelope = z.object({
  fault: z.enum(Object.keys(faultRows) as [FaultName, ...FaultName[]]),
  at: z.enum(endpoints),
})

/** The error for a fault with invalid parameters. The message lists every problem. */
export class FaultSpecError extends TypeError {
  readonly code = 'fault_invalid'
  override readonly name = 'FaultSpecError'
}

/**
 * Validates a fault: its name, its endpoint, its parameters and its scope.
 *
 * @throws {FaultSpecError} fault_invalid lists every problem
 */
export function parseFault(value: unknown): ValidFault {
  const head = envelope.safeParse(value)
  if (!head.success) throw invalid(head.error)
  const { fault, at } = head.data
  const row: FaultRow<Endpoint, z.ZodRawShape> = faultRows[fault]
  if (!row.at.includes(at))
    throw new FaultSpecError(`${fault} is not a fault of the endpoint ${at}: ${row.at.join(', ')}`)
  const whole = z.strictObject({ ...envelope.shape, ...scope, ...row.parameters.shape })
  const parsed = whole.safeParse(value)
  if (!parsed.success) throw invalid(parsed.error)
  const { fault: _fault, at: _at, client, run, times, seconds, ...parameters } = parsed.data
  return { fault, at, client, run, times, seconds, parameters } as ValidFault
}

const invalid = ({ issues }: z.ZodError) =>
  new FaultSpecError(
    issues.map(({ path, message }) => `${path.join('.') || 'fault'}: ${message}`).join('; '),
  )
